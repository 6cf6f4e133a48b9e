import type { Sql, Tx } from '../../kit/db/client.ts'
import { timeKeyAt } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { documentFor, isInvited, isIpOwner } from '../rfqs/visibility.ts'
import { isReleased, seesAcceptances } from './visibility.ts'

interface NewAcceptance {
  rfqId: string
  orgId: string
  userId: string
  ipAddress: string | null
  terms: string
}

/** Only the accepting organization reads the user and the address. */
export const insertAcceptance = (tx: Tx, { rfqId, orgId, userId, ipAddress, terms }: NewAcceptance, now: string) => tx`
  insert into sourcing.rfq_acceptances (rfq_id, org_id, accepted_at, terms_sha256, user_id, ip_address)
  values (${rfqId}, ${orgId}, ${now}, encode(sha256(convert_to(${terms}, 'UTF8')), 'hex'), ${userId}, ${ipAddress})`

/** Lets a manufacturer read the whole RFQ. */
export const endOutline = (tx: Tx, orgId: string, rfqId: string) => tx<{ document: string }[]>`
  update sourcing.rfq_invitations invitation set awaits_acceptance = false,
    -- The time of the last change of the RFQ may be that of the invitation of a competitor.
    document = sourcing.with_field(
      sourcing.rfq_document(rfq, array[invitation.org_id], invitation.awarded_offer_ids, 'INVITEE')::json,
      'updatedTime', invitation.document::json -> 'updatedTime')::text
  from sourcing.rfqs rfq
  where rfq.id = ${rfqId} and invitation.rfq_id = ${rfqId} and ${isInvited(tx, orgId)}
  returning invitation.document`

/** What follows an acceptance: whether the IP owner is notified, and whether files are already released. */
export const findConsequences = (sql: Sql, orgId: string, rfqId: string) => sql<
  [{ ownerSeesAcceptances: boolean; isReleased: boolean }]
>`
  select
    ${seesAcceptances(sql, sql`rfq.ip_owner_org_id`)} as "ownerSeesAcceptances",
    exists (
      select from sourcing.rfq_file_releases where rfq_id = rfq.id and org_id = ${orgId} and ended_at is null
    ) as "isReleased"
  from sourcing.rfqs rfq where id = ${rfqId}`

interface OwnedRfq {
  document: string
  isInvitee: boolean
  isWithinRelease: boolean
}

/** A published RFQ for a part of the organization. Its lock also holds back acceptances, declines and its end. */
export const lockOwnedRfq = (tx: Tx, orgId: string, id: string, now: string) => tx<OwnedRfq[]>`
  select ${documentFor(tx, orgId)} as document, not ${seesAcceptances(tx, orgId)} as "isInvitee",
    coalesce(sourcing.release_ends_at(state, state_since, expires_at) > ${now}, false) as "isWithinRelease"
  from sourcing.rfqs rfq where id = ${id} and ${isIpOwner(tx, orgId)} for update`

/** Those of the organizations that have accepted the terms and have not declined. */
export const findAccepted = (sql: Sql, rfqId: string, orgIds: readonly string[]) => sql<{ org_id: string }[]>`
  select org_id from sourcing.rfq_invitations
  where rfq_id = ${rfqId} and org_id = any(${[...orgIds]}) and not awaits_acceptance and state <> 'DECLINED'`

/** Releases the files of the pinned revision to organizations. Those that already have it are not returned. */
export const insertReleases = (tx: Tx, rfqId: string, orgIds: readonly string[], now: string) => tx<
  { org_id: string }[]
>`
  insert into sourcing.rfq_file_releases as release (rfq_id, org_id, released_at, part_revision)
  select rfq.id, org_id, ${now}, rfq.part_revision
  from sourcing.rfqs rfq, unnest(${[...orgIds]}::text[]) org_id where rfq.id = ${rfqId}
  on conflict (org_id, rfq_id) do update
    set released_at = excluded.released_at, part_revision = excluded.part_revision, ended_at = null
    where release.ended_at is not null or release.part_revision <> excluded.part_revision
  returning org_id`

/** Ends releases, all where no organizations are named. Returns the organizations that had accepted the terms. */
export const deleteReleases = (tx: Tx, rfqId: string, orgIds: readonly string[] | undefined) => tx<
  { org_id: string }[]
>`
  with withdrawn as (
    delete from sourcing.rfq_file_releases
    where rfq_id = ${rfqId} and ended_at is null ${orgIds ? tx`and org_id = any(${[...orgIds]})` : tx``}
    returning org_id
  )
  select org_id from withdrawn
  where org_id in (select org_id from sourcing.rfq_acceptances where rfq_id = ${rfqId})
  order by org_id`

/** The acceptances that an organization may see, newest first. User and address are those of its own. */
export function listAcceptances(
  sql: Sql,
  { orgId, rfqId, now }: { orgId: string; rfqId: string; now: string },
  { after, limit, offset }: PageWindow,
) {
  const key = timeKeyAt(after)
  return sql<DocumentRow[]>`
    select sourcing.api_time(accepted_at) || ' ' || acceptance.org_id as position, concat(
      '{"manufacturerOrgId":', to_json(acceptance.org_id),
      ',"acceptedTime":', to_json(sourcing.api_time(accepted_at)),
      ',"termsSha256":', to_json(terms_sha256),
      ',"filesReleasedTime":' || to_json(sourcing.api_time(released.released_at))::text,
      ',"filesReleasedRevision":' || released.part_revision,
      case when acceptance.org_id = ${orgId} then concat(
        ',"userId":' || to_json(user_id)::text, ',"ipAddress":' || to_json(ip_address)::text) end,
      '}') as document
    from sourcing.rfq_acceptances acceptance
    left join lateral (
      select release.released_at, release.part_revision
      from sourcing.rfq_file_releases release
      join sourcing.rfqs rfq on rfq.id = release.rfq_id
      join sourcing.rfq_invitations invitation on invitation.org_id = release.org_id and invitation.rfq_id = rfq.id
      where release.org_id = acceptance.org_id and release.rfq_id = acceptance.rfq_id and ${isReleased(sql, now)}
    ) released on true
    where acceptance.rfq_id = ${rfqId} and (acceptance.org_id = ${orgId} or exists (
        select from sourcing.rfqs rfq where id = ${rfqId} and ${seesAcceptances(sql, orgId)}))
      and (accepted_at, acceptance.org_id) < (${key.timestamp}::timestamptz, ${key.id})
    order by accepted_at desc, acceptance.org_id desc limit ${limit} offset ${offset}`
}

/** Erases what the next acceptances of an anonymised user have of it. */
export const eraseAcceptor = (tx: Tx, orgId: string, userId: string, limit: number) => tx`
  update sourcing.rfq_acceptances set user_id = null, ip_address = null where (rfq_id, org_id) in (
    select rfq_id, org_id from sourcing.rfq_acceptances where user_id = ${userId} and org_id = ${orgId} limit ${limit})`
