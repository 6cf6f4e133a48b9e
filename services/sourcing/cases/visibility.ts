import type { Sql } from '../../kit/db/client.ts'

/** The condition of `isParty` in SQL, on rows of `sourcing.cases`. */
export const isParty = (sql: Sql, orgId: string) => sql`${orgId} = any(party_org_ids)`

/** The JSON of a case for a party, with what it has not read, on rows of `sourcing.cases`. */
export const documentFor = (sql: Sql, orgId: string) => sql`concat(left(document, -1), ',"unreadCount":', (
  select unread_count from sourcing.case_parties where org_id = ${orgId} and case_id = cases.id), '}')`
