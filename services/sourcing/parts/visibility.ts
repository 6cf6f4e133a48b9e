import type { Sql } from '../../kit/db/client.ts'
import { isPartyToPart, type OrgRef } from '../orders/visibility.ts'

/* Conditions on rows of `sourcing.parts`. The texts match the predicates of the partial indexes. */

export const isOwn = (sql: Sql, orgId: OrgRef) => sql`ip_owner_org_id = ${orgId}`

export const isPublic = (sql: Sql) => sql`state = 'PUBLISHED' and not internal`

/**
 * A published RFQ has a row for each invited manufacturer. An invitation ends with its decline, with the cancellation
 * of the RFQ, and with an award without the manufacturer. The text matches the predicate of the partial index.
 */
const isInvited = (sql: Sql, orgId: OrgRef) => sql`exists (
  select from sourcing.rfq_invitations invitation
  where invitation.org_id = ${orgId} and invitation.part_id = parts.id
    and state <> 'DECLINED' and (rfq_state in ('OPEN', 'CLOSED') or awarded_offer_ids <> '{}'))`

/** Whether an organization may ask for quotations of a part. */
export const isSourceable = (sql: Sql, orgId: OrgRef) => sql`(${isOwn(sql, orgId)} or (${isPublic(sql)}))`

/**
 * Whether an organization may read a part, its files and its metadata. It may not source a part that it reads only as
 * an invitee or as a party to an order: otherwise it could invite others to it. The history of a part is its owner's
 * alone.
 */
export const isReadable = (sql: Sql, orgId: OrgRef) => sql`(
  ${isSourceable(sql, orgId)} or ${isInvited(sql, orgId)} or ${isPartyToPart(sql, orgId)})`
