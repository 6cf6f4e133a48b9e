import type { Sql } from '../../kit/db/client.ts'
import { isPartyToPart } from '../orders/visibility.ts'

/*
 * The conditions of `mayRead` in SQL, on rows of `sourcing.parts`. The texts match the predicates of the partial indexes.
 */

export const isOwn = (sql: Sql, orgId: string) => sql`ip_owner_org_id = ${orgId}`

export const isPublic = (sql: Sql) => sql`state = 'PUBLISHED' and not internal`

/** A published RFQ has a row for each invited manufacturer. */
const isInvited = (sql: Sql, orgId: string) => sql`exists (
  select from sourcing.rfq_invitations invitation where invitation.org_id = ${orgId} and invitation.part_id = parts.id)`

/** The condition of `maySource`. */
export const isSourceable = (sql: Sql, orgId: string) => sql`(${isOwn(sql, orgId)} or (${isPublic(sql)}))`

export const isReadable = (sql: Sql, orgId: string) => sql`(
  ${isSourceable(sql, orgId)} or ${isInvited(sql, orgId)} or ${isPartyToPart(sql, orgId)})`
