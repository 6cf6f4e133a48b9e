import type { AssignmentExtensionInput } from '../../../../proto/http/sourcing/assignments.ts'
import type { Sql, Tx } from '../../../kit/db/client.ts'
import { NEWEST_ID } from '../../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../../kit/pagination/pagination.ts'
import type { DocumentOnly } from '../queries.ts'
import { isManufacturer, isParty } from '../visibility.ts'

/** Newest first. The caller may read the assignment. */
export const listExtensions = (sql: Sql, assignmentId: string, { after, limit, offset }: PageWindow) => sql<
  DocumentRow[]
>`
  select id as position, document from sourcing.assignment_extensions
  where assignment_id = ${assignmentId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

interface ExtensionKey {
  id: string
  extensionId: string
}

export const findExtension = (sql: Sql, orgId: string, { id, extensionId }: ExtensionKey) => sql<DocumentOnly[]>`
  select extension.document from sourcing.assignment_extensions extension
  join sourcing.assignments assignment on assignment.id = assignment_id
  where extension.id = ${extensionId} and assignment_id = ${id} and ${isParty(sql, orgId)}`

export const countExtensions = (tx: Tx, assignmentId: string) => tx<[{ count: number }]>`
  select count(*)::int as count from sourcing.assignment_extensions where assignment_id = ${assignmentId}`

/** Writes the extension and the new day of the assignment. */
export const insertExtension = (
  tx: Tx,
  orgId: string,
  { id, extensionId }: ExtensionKey,
  { dueDate, reason }: AssignmentExtensionInput,
  now: string,
) => tx<[{ assignment: string; extension: string }]>`
  with extension as (
    insert into sourcing.assignment_extensions (
      id, assignment_id, org_id, due_date, previous_due_date, reason, created_at)
    select ${extensionId}, id, ${orgId}, ${dueDate}, due_date, ${reason}, ${now}
    from sourcing.assignments where id = ${id} and ${isManufacturer(tx, orgId)}
    returning document
  )
  update sourcing.assignments assignment set due_date = ${dueDate}, updated_at = ${now} from extension
  where id = ${id} and ${isManufacturer(tx, orgId)}
  returning assignment.document as assignment, extension.document as extension`
