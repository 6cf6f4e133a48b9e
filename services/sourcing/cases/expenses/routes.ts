import { Elysia } from 'elysia'
import * as operations from '../../../../proto/http/sourcing/case-expenses.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import type { PipelinedReads } from '../../../kit/db/pipelined-reads.ts'
import { found } from '../../../kit/errors/refusal.ts'
import type { Http } from '../../../kit/http/http.ts'
import type { Pagination } from '../../../kit/pagination/pagination.ts'
import type { CommandDeps } from '../commands.ts'
import { findCase } from '../queries.ts'
import * as commands from './commands.ts'
import { findExpense, listExpenses } from './queries.ts'

type Deps = CommandDeps & { http: Http; pagination: Pagination; reads: PipelinedReads }

export const caseExpenseRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.case-expenses' })
    .use(
      http.route(operations.listCaseExpenses, async ({ caller, params: { id }, query }) => {
        found(await deps.reads.query((sql) => findCase(sql, caller.orgId, id)))
        return pagination.json({ caller, list: `expenses ${id}`, query }, (window) =>
          deps.reads.query((sql) => listExpenses(sql, id, window)),
        )
      }),
    )
    .use(
      http.route(operations.getCaseExpense, async ({ caller, params }) => {
        const rows = await deps.reads.query((sql) => findExpense(sql, caller.orgId, params))
        return new JsonText(found(rows).document)
      }),
    )
    .use(http.route(operations.createCaseExpense, (call) => commands.createExpense(deps, call)))
    .use(http.route(operations.patchCaseExpense, (call) => commands.patchExpense(deps, call)))
    .use(http.route(operations.deleteCaseExpense, (call) => commands.deleteExpense(deps, call)))
