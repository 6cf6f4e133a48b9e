import type { Fragment, Sql, Tx } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'

/** The kinds of subrecords, with the names of their ids in paths and in the audit log. */
export const ID_NAMES = {
  contact: 'contactId',
  billing: 'billingDetailsId',
  extension: 'extensionId',
  task: 'taskId',
  expense: 'expenseId',
} as const
export type SubrecordKind = keyof typeof ID_NAMES

/** The subrecords of one kind of an assignment or a case. The caller may read it, or has locked it. */
interface Siblings {
  kind: SubrecordKind
  /** Id of the assignment or the case. */
  parentId: string
}

interface SubrecordKey extends Siblings {
  id: string
}

export interface SubrecordRow {
  /** The JSON for all parties. */
  document: string
  /** The user who created it or changed it last. Null for older records. */
  created_by: string | null
  /** The user who should do a task. */
  assignee_user_id: string | null
}

/** The JSON that all parties read alike. */
export const documentForAll = (sql: Sql): Fragment => sql`document`

/** Newest first. */
export const listSubrecords = (
  sql: Sql,
  document: Fragment,
  { kind, parentId }: Siblings,
  { after, limit, offset }: PageWindow,
) => sql<DocumentRow[]>`
  select id as position, ${document} as document from sourcing.subrecords
  where parent_id = ${parentId} and kind = ${kind} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

/** A subrecord, locked until the transaction ends. */
export const lockSubrecord = (sql: Sql, { kind, parentId, id }: SubrecordKey) => sql<SubrecordRow[]>`
  select document, created_by, assignee_user_id from sourcing.subrecords
  where id = ${id} and parent_id = ${parentId} and kind = ${kind} for update`

/** The JSON of a subrecord for an organization. */
export const findDocument = (sql: Sql, document: Fragment, { kind, parentId, id }: SubrecordKey) => sql<
  { document: string }[]
>`
  select ${document} as document from sourcing.subrecords
  where id = ${id} and parent_id = ${parentId} and kind = ${kind}`

/** A subrecord that the organization created, locked until the transaction ends. */
export const lockOwnSubrecord = (tx: Tx, orgId: string, { kind, parentId, id }: SubrecordKey) => tx<SubrecordRow[]>`
  select document, created_by, assignee_user_id from sourcing.subrecords
  where id = ${id} and parent_id = ${parentId} and kind = ${kind} and org_id = ${orgId} for update`

/** The number of subrecords that the organization created. */
export const countSubrecords = (tx: Tx, orgId: string, { kind, parentId }: Siblings) => tx<[{ count: number }]>`
  select count(*)::integer as count from sourcing.subrecords
  where parent_id = ${parentId} and kind = ${kind} and org_id = ${orgId}`

interface NewSubrecord extends SubrecordKey {
  document: string
  /** Only for a task. */
  assigneeUserId?: string | null
  /** The user who creates or changes its content. */
  userId?: string
}

export const insertSubrecord = (
  tx: Tx,
  orgId: string,
  { kind, parentId, id, document, assigneeUserId = null, userId }: NewSubrecord & { userId: string },
) => tx`
  insert into sourcing.subrecords (id, kind, parent_id, org_id, document, created_by, assignee_user_id)
  values (${id}, ${kind}, ${parentId}, ${orgId}, ${document}, ${userId}, ${assigneeUserId})`

export const updateSubrecord = (
  tx: Tx,
  { kind, parentId, id, document, assigneeUserId = null, userId }: NewSubrecord,
) => tx`
  update sourcing.subrecords set document = ${document}, assignee_user_id = ${assigneeUserId},
    created_by = coalesce(${userId ?? null}, created_by)
  where id = ${id} and parent_id = ${parentId} and kind = ${kind}`

export const deleteSubrecord = (tx: Tx, orgId: string, { kind, parentId, id }: SubrecordKey) => tx`
  delete from sourcing.subrecords
  where id = ${id} and parent_id = ${parentId} and kind = ${kind} and org_id = ${orgId}`
