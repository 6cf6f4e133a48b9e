import type { Sql, Tx } from '../../../kit/db/client.ts'
import { NEWEST_ID } from '../../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../../kit/pagination/pagination.ts'

/** The JSON of a message for an organization, on rows of `sourcing.case_messages`. Only its own has the user. */
const documentFor = (sql: Sql, orgId: string) => sql`case when org_id = ${orgId} and user_id is not null
  then concat(left(document, -1), ',"authorUserId":', to_json(user_id), '}') else document end`

/** Newest first. The caller has checked that the organization is a party to the case. */
export const listMessages = (sql: Sql, orgId: string, caseId: string, { after, limit, offset }: PageWindow) => sql<
  DocumentRow[]
>`
  select id as position, ${documentFor(sql, orgId)} as document from sourcing.case_messages
  where case_id = ${caseId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

/** The messages that a party has written in a locked case. */
export const findWritten = (tx: Tx, orgId: string, caseId: string) => tx<[{ written: number }]>`
  select written_count as written from sourcing.case_parties where org_id = ${orgId} and case_id = ${caseId}`

/** Those of the documents that the organization has added to the case. */
export const findOwnFiles = (tx: Tx, orgId: string, caseId: string, ids: readonly string[]) => tx<{ id: string }[]>`
  select id from sourcing.files where org_id = ${orgId} and record_id = ${caseId} and id = any(${[...ids]})`

interface NewMessage {
  id: string
  caseId: string
  orgId: string
  userId: string
  text: string
  fileIds: readonly string[]
}

export const insertMessage = (tx: Tx, { id, caseId, orgId, userId, text, fileIds }: NewMessage, at: string) => tx<
  [{ document: string }]
>`
  insert into sourcing.case_messages (id, case_id, org_id, user_id, text, file_ids, created_at)
  values (${id}, ${caseId}, ${orgId}, ${userId}, ${text}, ${[...fileIds]}, ${at})
  returning ${documentFor(tx, orgId)} as document`

/** Counts a new message of an organization in a locked case, which the other parties have not read. */
export const countMessage = (tx: Tx, orgId: string, caseId: string, at: string) => tx<[{ document: string }]>`
  with counted as (
    update sourcing.case_parties set
      written_count = written_count + (org_id = ${orgId})::integer,
      unread_count = unread_count + (org_id <> ${orgId})::integer,
      unread_since = case when org_id <> ${orgId} then coalesce(unread_since, ${at}) else unread_since end
    where case_id = ${caseId} and org_id in (
      select unnest(party_org_ids) from sourcing.cases where id = ${caseId})
  )
  update sourcing.cases set last_message_at = ${at} where id = ${caseId}
  returning document`

export const findMessage = (tx: Tx, caseId: string, id: string) => tx<{ id: string }[]>`
  select id from sourcing.case_messages where case_id = ${caseId} and id = ${id}`

/** Marks the messages of a locked case as read, up to one of them. Those that are read stay read. */
export const markRead = (tx: Tx, orgId: string, caseId: string, messageId: string) => tx`
  update sourcing.case_parties set
    unread_count = least(unread_count, later.unread),
    unread_since = case when least(unread_count, later.unread) = 0 then null
      when later.unread < unread_count then later.since else unread_since end
  from (
    select count(*)::integer as unread, min(created_at) as since from sourcing.case_messages
    where case_id = ${caseId} and id > ${messageId} and org_id <> ${orgId}
  ) later
  where case_parties.org_id = ${orgId} and case_parties.case_id = ${caseId}`

/** Erases an anonymised user in its next messages. The messages remain. */
export const eraseAuthor = (tx: Tx, orgId: string, userId: string, limit: number) => tx`
  update sourcing.case_messages set user_id = null where id = any(array(
    select id from sourcing.case_messages where user_id = ${userId} and org_id = ${orgId} limit ${limit}))`
