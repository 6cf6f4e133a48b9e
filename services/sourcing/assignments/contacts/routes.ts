import { Elysia } from 'elysia'
import * as operations from '../../../../proto/http/sourcing/assignment-contacts.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import type { PipelinedReads } from '../../../kit/db/pipelined-reads.ts'
import { found } from '../../../kit/errors/refusal.ts'
import type { Http } from '../../../kit/http/http.ts'
import type { Pagination } from '../../../kit/pagination/pagination.ts'
import type { CommandDeps } from '../commands.ts'
import { findAssignment } from '../queries.ts'
import { createContact, deleteContact, patchContact } from './commands.ts'
import { findContact, listContacts } from './queries.ts'

type Deps = CommandDeps & { http: Http; pagination: Pagination; reads: PipelinedReads }

export const contactRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.assignments.contacts' })
    .use(
      http.route(operations.listAssignmentContacts, async ({ caller, params: { id }, query }) => {
        found(await deps.reads.query((sql) => findAssignment(sql, caller.orgId, id)))
        return pagination.json({ caller, list: `assignmentContacts ${id}`, query }, (window) =>
          deps.reads.query((sql) => listContacts(sql, id, window)),
        )
      }),
    )
    .use(
      http.route(operations.getAssignmentContact, async ({ caller, params }) => {
        const rows = await deps.reads.query((sql) => findContact(sql, caller.orgId, params))
        return new JsonText(found(rows).document)
      }),
    )
    .use(http.route(operations.createAssignmentContact, (call) => createContact(deps, call)))
    .use(http.route(operations.patchAssignmentContact, (call) => patchContact(deps, call)))
    .use(http.route(operations.deleteAssignmentContact, (call) => deleteContact(call)))
