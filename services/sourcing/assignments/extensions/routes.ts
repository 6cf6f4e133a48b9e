import { Elysia } from 'elysia'
import * as operations from '../../../../proto/http/sourcing/assignments.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import type { PipelinedReads } from '../../../kit/db/pipelined-reads.ts'
import { found } from '../../../kit/errors/refusal.ts'
import type { Http } from '../../../kit/http/http.ts'
import type { Pagination } from '../../../kit/pagination/pagination.ts'
import type { CommandDeps } from '../commands.ts'
import { findAssignment } from '../queries.ts'
import { createExtension } from './commands.ts'
import { findExtension, listExtensions } from './queries.ts'

type Deps = CommandDeps & { http: Http; pagination: Pagination; reads: PipelinedReads }

export const extensionRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.assignments.extensions' })
    .use(
      http.route(operations.listAssignmentExtensions, async ({ caller, params: { id }, query }) => {
        found(await deps.reads.query((sql) => findAssignment(sql, caller.orgId, id)))
        return pagination.json({ caller, list: `assignmentExtensions ${id}`, query }, (window) =>
          deps.reads.query((sql) => listExtensions(sql, id, window)),
        )
      }),
    )
    .use(
      http.route(operations.getAssignmentExtension, async ({ caller, params }) => {
        const rows = await deps.reads.query((sql) => findExtension(sql, caller.orgId, params))
        return new JsonText(found(rows).document)
      }),
    )
    .use(http.route(operations.createAssignmentExtension, (call) => createExtension(deps, call)))
