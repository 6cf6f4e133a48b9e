import type { Fragment, Sql } from '../../kit/db/client.ts'
import type { OrgRef } from '../orders/visibility.ts'
import { isConsumer, isIpOwner } from '../rfqs/visibility.ts'

/**
 * Whether an organization sees who has accepted the terms, on rows `rfq`: the consumer and the IP owner,
 * but not an IP owner that another consumer invited itself, because it competes with those manufacturers.
 */
export const seesAcceptances = (sql: Sql, orgId: OrgRef) => sql`(${isConsumer(sql, orgId)} or (
  ${isIpOwner(sql, orgId)} and not exists (
    select from sourcing.rfq_invitations where rfq_id = rfq.id and org_id = ${orgId})))`

/**
 * Whether a release lasts, on rows `release` of `sourcing.rfq_file_releases` with their `rfq` and `invitation`: until
 * the RFQ ends or has been CLOSED for 30 days, and of a winner while its order is PLACED.
 */
export const isReleased = (sql: Sql, now: string) => sql`(
  release.ended_at is null and not invitation.awaits_acceptance and invitation.state <> 'DECLINED' and (
    sourcing.release_ends_at(rfq.state, rfq.state_since, rfq.expires_at) > ${now}
    or rfq.state = 'AWARDED' and exists (
      select from sourcing.orders placed
      where placed.rfq_id = rfq.id and placed.manufacturer_org_id = release.org_id and placed.state = 'PLACED')))`

/**
 * The files of the group `ip` of a part that are released to a manufacturer for quoting, each with the revision that
 * its RFQ pins: those of the released revision that the pinned one lists. A file that is new in the pinned revision
 * needs a release of its own.
 */
export const filesForQuoting = (sql: Sql, orgId: string, partId: string | Fragment, now: string) => sql`
  select invitation.part_revision, file_id from sourcing.rfq_invitations invitation
  join sourcing.rfq_file_releases release on release.org_id = invitation.org_id and release.rfq_id = invitation.rfq_id
  join sourcing.rfqs rfq on rfq.id = release.rfq_id
  join sourcing.part_revisions released
    on released.part_id = invitation.part_id and released.revision = release.part_revision
  join sourcing.part_revisions listing
    on listing.part_id = invitation.part_id and listing.revision = invitation.part_revision
  cross join lateral unnest(released.file_ids) file_id
  where invitation.org_id = ${orgId} and invitation.part_id = ${partId} and ${isReleased(sql, now)}
    and file_id = any(listing.file_ids)`
