import type { AssignmentContactInput } from '../../../../proto/http/sourcing/assignment-contacts.ts'
import type { Sql, Tx } from '../../../kit/db/client.ts'
import { NEWEST_ID } from '../../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../../kit/pagination/pagination.ts'
import type { DocumentOnly } from '../queries.ts'
import { isParty } from '../visibility.ts'

/** Newest first. The caller may read the assignment. */
export const listContacts = (sql: Sql, assignmentId: string, { after, limit, offset }: PageWindow) => sql<
  DocumentRow[]
>`
  select id as position, document from sourcing.assignment_contacts
  where assignment_id = ${assignmentId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

export interface ContactKey {
  id: string
  contactId: string
}

export const findContact = (sql: Sql, orgId: string, { id, contactId }: ContactKey) => sql<DocumentOnly[]>`
  select contact.document from sourcing.assignment_contacts contact
  join sourcing.assignments assignment on assignment.id = assignment_id
  where contact.id = ${contactId} and assignment_id = ${id} and ${isParty(sql, orgId)}`

/** A contact that the organization created. The assignment is locked. */
export const findOwnContact = (tx: Tx, orgId: string, { id, contactId }: ContactKey) => tx<DocumentOnly[]>`
  select document from sourcing.assignment_contacts
  where id = ${contactId} and assignment_id = ${id} and org_id = ${orgId}`

export const countContacts = (tx: Tx, orgId: string, assignmentId: string) => tx<[{ count: number }]>`
  select count(*)::int as count from sourcing.assignment_contacts
  where assignment_id = ${assignmentId} and org_id = ${orgId}`

export const insertContact = (
  tx: Tx,
  orgId: string,
  { id, contactId }: ContactKey,
  { name, role, email, phone }: AssignmentContactInput,
  now: string,
) => tx<[DocumentOnly]>`
  insert into sourcing.assignment_contacts (
    id, assignment_id, org_id, name, role, email, phone, created_at, updated_at)
  values (${contactId}, ${id}, ${orgId}, ${name}, ${role ?? null}, ${email ?? null}, ${phone ?? null}, ${now}, ${now})
  returning document`

export const updateContact = (
  tx: Tx,
  orgId: string,
  { id, contactId }: ContactKey,
  { name, role, email, phone }: AssignmentContactInput,
  now: string,
) => tx<DocumentOnly[]>`
  update sourcing.assignment_contacts set
    name = ${name}, role = ${role ?? null}, email = ${email ?? null}, phone = ${phone ?? null}, updated_at = ${now}
  where id = ${contactId} and assignment_id = ${id} and org_id = ${orgId}
  returning document`

export const deleteContact = (tx: Tx, orgId: string, { id, contactId }: ContactKey) => tx`
  delete from sourcing.assignment_contacts where id = ${contactId} and assignment_id = ${id} and org_id = ${orgId}`
