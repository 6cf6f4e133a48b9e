import { Elysia } from 'elysia'
import * as operations from '../../../../proto/http/sourcing/case-tasks.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import type { PipelinedReads } from '../../../kit/db/pipelined-reads.ts'
import { found } from '../../../kit/errors/refusal.ts'
import type { Http } from '../../../kit/http/http.ts'
import type { Pagination } from '../../../kit/pagination/pagination.ts'
import type { CommandDeps } from '../commands.ts'
import { findCase } from '../queries.ts'
import * as commands from './commands.ts'
import { findTask, listTasks } from './queries.ts'
import { bodyProblems } from './rules.ts'

type Deps = CommandDeps & { http: Http; pagination: Pagination; reads: PipelinedReads }

export const caseTaskRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.case-tasks' })
    .use(
      http.route(operations.listCaseTasks, async ({ caller, params: { id }, query }) => {
        found(await deps.reads.query((sql) => findCase(sql, caller.orgId, id)))
        return pagination.json({ caller, list: `tasks ${id}`, query }, (window) =>
          deps.reads.query((sql) => listTasks(sql, id, window)),
        )
      }),
    )
    .use(
      http.route(operations.getCaseTask, async ({ caller, params }) => {
        const rows = await deps.reads.query((sql) => findTask(sql, caller.orgId, params))
        return new JsonText(found(rows).document)
      }),
    )
    .use(http.route(operations.createCaseTask, (call) => commands.createTask(deps, call), bodyProblems))
    .use(http.route(operations.patchCaseTask, (call) => commands.patchTask(deps, call), bodyProblems))
    .use(http.route(operations.completeCaseTask, (call) => commands.completeTask(deps, call)))
    .use(http.route(operations.deleteCaseTask, (call) => commands.deleteTask(deps, call)))
