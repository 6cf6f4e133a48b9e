import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/assignments.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import type { PageReads } from '../page-reads.ts'
import { billingDetailsRoutes } from './billing-details/routes.ts'
import { archiveOrUnarchive, type CommandDeps } from './commands.ts'
import { contactRoutes } from './contacts/routes.ts'
import { extensionRoutes } from './extensions/routes.ts'
import { findPage } from './list.ts'
import { findAssignment } from './queries.ts'

type Deps = CommandDeps & PageReads & { http: Http; pagination: Pagination }

export const assignmentRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.assignments' })
    .use(
      http.route(operations.listAssignments, ({ caller, query, request }) => {
        const reader = { orgId: caller.orgId, signal: request.signal }
        return pagination.json({ caller, list: 'assignments', query }, (window) =>
          findPage(deps, reader, { ...query, ...window }),
        )
      }),
    )
    .use(
      http.route(operations.getAssignment, async ({ caller, params }) => {
        const rows = await deps.reads.query((sql) => findAssignment(sql, caller.orgId, params.id))
        return new JsonText(found(rows).document)
      }),
    )
    .use(http.route(operations.archiveAssignment, (call) => archiveOrUnarchive(deps, 'archive', call)))
    .use(http.route(operations.unarchiveAssignment, (call) => archiveOrUnarchive(deps, 'unarchive', call)))
    .use(extensionRoutes({ http, pagination, ...deps }))
    .use(contactRoutes({ http, pagination, ...deps }))
    .use(billingDetailsRoutes({ http, pagination, ...deps }))
