import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/cases.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import type { PageReads } from '../page-reads.ts'
import * as commands from './commands.ts'
import { findPage } from './list.ts'
import { findCase } from './queries.ts'
import { referenceProblems } from './rules.ts'

type Deps = commands.CommandDeps & PageReads & { http: Http; pagination: Pagination }

export const caseRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.cases' })
    .use(
      http.route(operations.listCases, ({ caller, query, request }) => {
        const reader = { orgId: caller.orgId, signal: request.signal }
        return pagination.json({ caller, list: 'cases', query }, (window) =>
          findPage(deps, reader, { ...query, ...window }),
        )
      }),
    )
    .use(
      http.route(operations.getCase, async ({ caller, params }) => {
        const rows = await deps.reads.query((sql) => findCase(sql, caller.orgId, params.id))
        return new JsonText(found(rows).document)
      }),
    )
    .use(http.route(operations.createCase, (call) => commands.createCase(deps, call), referenceProblems))
    .use(http.route(operations.patchCase, (call) => commands.patchCase(deps, call)))
    .use(http.route(operations.closeCase, (call) => commands.moveCase(deps, 'close', call)))
    .use(http.route(operations.reopenCase, (call) => commands.moveCase(deps, 'reopen', call)))
    .use(http.route(operations.archiveCase, (call) => commands.moveCase(deps, 'archive', call)))
    .use(http.route(operations.unarchiveCase, (call) => commands.moveCase(deps, 'unarchive', call)))
