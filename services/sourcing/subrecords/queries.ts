import type { Sql, Tx } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'

export type SubrecordKind = 'contact' | 'billing' | 'extension' | 'task' | 'expense'

/** The subrecords of one kind of an assignment or a case. The caller may read it, or has locked it. */
interface Siblings {
  kind: SubrecordKind
  /** Id of the assignment or the case. */
  parentId: string
}

interface SubrecordKey extends Siblings {
  id: string
}

/** Newest first. */
export const listSubrecords = (sql: Sql, { kind, parentId }: Siblings, { after, limit, offset }: PageWindow) => sql<
  DocumentRow[]
>`
  select id as position, document from sourcing.subrecords
  where parent_id = ${parentId} and kind = ${kind} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

export const findSubrecord = (sql: Sql, { kind, parentId, id }: SubrecordKey) => sql<{ document: string }[]>`
  select document from sourcing.subrecords where id = ${id} and parent_id = ${parentId} and kind = ${kind}`

/** A subrecord that the organization created. */
export const findOwnSubrecord = (tx: Tx, orgId: string, { kind, parentId, id }: SubrecordKey) => tx<
  { document: string }[]
>`
  select document from sourcing.subrecords
  where id = ${id} and parent_id = ${parentId} and kind = ${kind} and org_id = ${orgId}`

/** The number of subrecords that the organization created. */
export const countSubrecords = (tx: Tx, orgId: string, { kind, parentId }: Siblings) => tx<[{ count: number }]>`
  select count(*)::integer as count from sourcing.subrecords
  where parent_id = ${parentId} and kind = ${kind} and org_id = ${orgId}`

export const insertSubrecord = (tx: Tx, orgId: string, { kind, parentId, id }: SubrecordKey, document: string) => tx`
  insert into sourcing.subrecords (id, kind, parent_id, org_id, document)
  values (${id}, ${kind}, ${parentId}, ${orgId}, ${document})`

export const updateSubrecord = (tx: Tx, { kind, parentId, id }: SubrecordKey, document: string) => tx`
  update sourcing.subrecords set document = ${document}
  where id = ${id} and parent_id = ${parentId} and kind = ${kind}`

export const deleteSubrecord = (tx: Tx, orgId: string, { kind, parentId, id }: SubrecordKey) => tx`
  delete from sourcing.subrecords
  where id = ${id} and parent_id = ${parentId} and kind = ${kind} and org_id = ${orgId}`
