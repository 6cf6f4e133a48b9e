import type { Sql, Tx } from '../../kit/db/client.ts'
import { timeKeyAt } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { maySource } from '../factories/visibility.ts'
import { isSourceable, needsSubscription } from '../parts/visibility.ts'
import type { PinnedPicture } from '../renderings/pictures.ts'
import type { Invitee, RfqContent } from './rules.ts'
import { isConsumer, isInvited, pictureFor, seenRfq } from './visibility.ts'

interface ReadableRfq {
  document: string
  /** The role in which the organization reads it. */
  reader: 'CONSUMER' | 'IP_OWNER' | 'MANUFACTURER'
  /** Whether it has an invitation that it has not read yet. */
  isUnread: boolean
  /** Whether it reads only an outline, because it has not accepted the confidentiality terms yet. */
  isOutline: boolean
  /** Whether it has declined its invitation. */
  isDeclined: boolean
  pinnedPicture: PinnedPicture
}

/** The JSON of an RFQ for an organization; no row where the organization may not read it. */
export const findRfq = (sql: Sql, orgId: string, id: string) => sql<ReadableRfq[]>`
  select document, reader, is_unread as "isUnread", is_outline as "isOutline", is_declined as "isDeclined",
    ${pictureFor(sql, orgId)} as "pinnedPicture"
  from ${seenRfq(sql, orgId, id)} seen`

/** The invited manufacturers that do not read a change: by their decline, or until they accept the terms. */
export const listUnaware = (sql: Sql, id: string, { changeShowsInOutline }: { changeShowsInOutline: boolean }) => sql<
  { org_id: string }[]
>`
  select org_id from sourcing.rfq_invitations
  where rfq_id = ${id} and (state = 'DECLINED' or awaits_acceptance and not ${changeShowsInOutline}::boolean)`

export const markRead = (sql: Sql, orgId: string, id: string, now: string) => sql`
  update sourcing.rfq_invitations set state = 'READ', read_at = ${now}
  where rfq_id = ${id} and ${isInvited(sql, orgId)} and state = 'INVITED'`

/** The parts of RFQs, locked so that they stay available. No row where one is not available. */
export const lockParts = (tx: Tx, orgId: string, partIds: readonly string[]) => tx<PartRow[]>`
  select id, ip_owner_org_id, title, serial_number, revision, internal,
    ${needsSubscription(tx, orgId)} as needs_subscription
  from sourcing.parts
  where id = any(${[...partIds]}) and ${isSourceable(tx, orgId)} order by id for share`

export interface PartRow {
  id: string
  ip_owner_org_id: string
  title: string | null
  serial_number: string
  revision: number
  internal: boolean
  /** Whether it requires a subscription that the organization does not have. */
  needs_subscription: boolean
}

/** Organizations that a consumer wants to invite. */
export const findInvitees = (sql: Sql, consumerOrgId: string, ids: readonly string[]) => sql<Invitee[]>`
  select
    invitee.org_id as "orgId",
    'MANUFACTURER' = any(invitee.roles) as "isManufacturer",
    consumer.engagement = 'DISTRIBUTOR' as "needsFactory",
    exists (
      select from sourcing.factories factory
      where factory.org_id = invitee.org_id and ${maySource(sql, consumerOrgId)}) as "hasFactory"
  from organization.org_directory invitee
  join organization.org_directory consumer on consumer.org_id = ${consumerOrgId}
  where invitee.org_id = any(${[...ids]})`

interface NewRfq {
  id: string
  line: { packageId: string; place: number } | undefined
  serialNumber: string
  consumerOrgId: string
  createdBy: string
}

/** No row where another RFQ has the same serial number. */
export function insertRfq(
  tx: Tx,
  rfq: NewRfq,
  part: PartRow,
  { partId, expireTime, manufacturerIds, ...terms }: RfqContent,
  now: string,
) {
  return tx<{ document: string }[]>`
    insert into sourcing.rfqs (id, serial_number, part_id, part_title, owner_part_title, part_serial_number,
      consumer_org_id, ip_owner_org_id, state, terms, manufacturer_ids, expires_at, created_at, updated_at,
      created_by, package_id, package_place)
    values (${rfq.id}, ${rfq.serialNumber}, ${partId}, ${part.title}, ${part.title}, ${part.serial_number},
      ${rfq.consumerOrgId}, ${part.ip_owner_org_id}, 'DRAFT', ${JSON.stringify(terms)}::text::json, ${manufacturerIds},
      ${expireTime}, ${now}, ${now}, ${rfq.createdBy}, ${rfq.line?.packageId ?? null},
      ${rfq.line?.place ?? null})
    on conflict (serial_number) do nothing
    returning consumer_document as document`
}

/** The JSON of an own RFQ, locked until the transaction ends. */
export const lockOwnRfq = (tx: Tx, orgId: string, id: string) => tx<{ document: string }[]>`
  select consumer_document as document from sourcing.rfqs where id = ${id} and ${isConsumer(tx, orgId)} for update`

export function updateContent(
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  part: PartRow,
  { partId, expireTime, manufacturerIds, ...terms }: RfqContent,
  now: string,
) {
  return tx<{ document: string }[]>`
    update sourcing.rfqs set part_id = ${partId}, part_title = ${part.title}, owner_part_title = ${part.title},
      part_serial_number = ${part.serial_number}, ip_owner_org_id = ${part.ip_owner_org_id},
      terms = ${JSON.stringify(terms)}::text::json, manufacturer_ids = ${manufacturerIds}, expires_at = ${expireTime},
      updated_at = ${now}
    where id = ${id} and ${isConsumer(tx, orgId)} and state = 'DRAFT'
    returning consumer_document as document`
}

interface AmendmentOf {
  reason: string
  isNewVersion: boolean
  /** The part whose current revision is pinned. Undefined: the pinned revision stays. */
  pinned: PartRow | undefined
  /** Whether the RFQ no longer shows that its part has changed. */
  endsMark: boolean
}

/** Changes the terms of an OPEN RFQ. The title for searches becomes that of the pinned part. */
export function amendContent(
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  { partId, expireTime, manufacturerIds, ...terms }: RfqContent,
  { reason, isNewVersion, pinned, endsMark }: AmendmentOf,
  now: string,
) {
  return tx<{ document: string }[]>`
    update sourcing.rfqs set terms = ${JSON.stringify(terms)}::text::json, expires_at = ${expireTime},
      version = version + ${isNewVersion ? 1 : 0},
      amendment_reason = ${reason},
      part_revision = coalesce(${pinned?.revision ?? null}, part_revision),
      part_title = case when ${pinned !== undefined} then ${pinned?.title ?? null} else part_title end,
      part_changed = part_changed and not ${endsMark}::boolean, updated_at = ${now}
    where id = ${id} and ${isConsumer(tx, orgId)} and state = 'OPEN'
    returning consumer_document as document`
}

export const updateManufacturers = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  manufacturerIds: readonly string[],
  now: string,
) => tx<{ document: string }[]>`
  update sourcing.rfqs set manufacturer_ids = ${[...manufacturerIds]}, updated_at = ${now}
  where id = ${id} and ${isConsumer(tx, orgId)}
  returning consumer_document as document`

/** Invites organizations again that declined. Only a published RFQ has invitations. */
export const renewInvitations = (tx: Tx, id: string, manufacturerIds: readonly string[], now: string) => tx<
  { org_id: string }[]
>`
  update sourcing.rfq_invitations invitation set state = 'INVITED', reason = null, invited_at = ${now}, read_at = null,
    declined_at = null, part_title = sourcing.invited_title(rfq),
    document = sourcing.rfq_document(rfq, array[org_id], invitation.awarded_offer_ids, 'INVITEE')
  from sourcing.rfqs rfq
  where rfq.id = ${id} and rfq_id = ${id} and org_id = any(${[...manufacturerIds]}) and invitation.state = 'DECLINED'
  returning org_id`

export const deleteRfqs = (tx: Tx, orgId: string, ids: readonly string[]) => tx`
  delete from sourcing.rfqs where id = any(${[...ids]}) and ${isConsumer(tx, orgId)} and state = 'DRAFT'`

/**
 * The invitation of an organization with its RFQ, both locked until the transaction ends. The RFQ is locked first, as
 * by the commands that change it and then its invitations.
 */
export const lockInvitation = (tx: Tx, orgId: string, id: string) => tx<
  { state: string; awaitsAcceptance: boolean; rfq: string }[]
>`
  select invitation.state, invitation.awaits_acceptance as "awaitsAcceptance", rfq.document as rfq
  from (select id, document from sourcing.rfqs where id = ${id} for share) rfq
  join sourcing.rfq_invitations invitation on invitation.rfq_id = rfq.id
  where invitation.org_id = ${orgId}
  for update of invitation`

export const declineInvitation = (tx: Tx, orgId: string, id: string, reason: string | null, now: string) => tx<
  { document: string }[]
>`
  update sourcing.rfq_invitations set state = 'DECLINED', reason = ${reason}, declined_at = ${now}
  where rfq_id = ${id} and ${isInvited(tx, orgId)} and state in ('INVITED', 'READ')
  returning document`

/** No row where the organization is not the consumer. */
export const findOwnRfq = (sql: Sql, orgId: string, id: string) => sql<{ id: string }[]>`
  select id from sourcing.rfqs where id = ${id} and ${isConsumer(sql, orgId)}`

/** Newest first. */
export function listInvitations(sql: Sql, id: string, { after, limit, offset }: PageWindow) {
  const key = timeKeyAt(after)
  return sql<DocumentRow[]>`
    select sourcing.api_time(invited_at) || ' ' || org_id as position, invitation_document as document
    from sourcing.rfq_invitations
    where rfq_id = ${id} and (invited_at, org_id) < (${key.timestamp}::timestamptz, ${key.id})
    order by invited_at desc, org_id desc limit ${limit} offset ${offset}`
}

/** The entries for the IP owner: from the publication on, without acceptances of others where it is invited itself. */
export function listPartyHistory(sql: Sql, id: string, orgId: string, { after, limit, offset }: PageWindow) {
  const key = timeKeyAt(after)
  return sql<DocumentRow[]>`
    select sourcing.api_time(timestamp) || ' ' || id as position, seen.document from sourcing.history
    cross join lateral (
      select case
        when exists (select from sourcing.rfq_invitations where rfq_id = ${id} and ${isInvited(sql, orgId)})
        then sourcing.readable_entry(party_document, ${orgId}, null) else party_document end as document
      offset 0
    ) seen
    where record_id = ${id} and (timestamp, id) < (${key.timestamp}::timestamptz, ${key.id})
      and party_document is not null and seen.document is not null
    order by timestamp desc, id desc limit ${limit} offset ${offset}`
}

/**
 * The entries of an RFQ as an invited manufacturer sees them: before it accepts terms, of the outline. Entries without
 * a visible change are omitted.
 */
export function listHistoryFor(sql: Sql, id: string, orgId: string, { after, limit, offset }: PageWindow) {
  const key = timeKeyAt(after)
  return sql<DocumentRow[]>`
    select sourcing.api_time(entry.timestamp) || ' ' || entry.id as position, seen.document
    from sourcing.rfq_invitations invitation
    join sourcing.history entry on entry.record_id = invitation.rfq_id
    cross join lateral (
      select sourcing.readable_entry(
        sourcing.history_entry_for(entry.party_document, array[invitation.org_id] || invitation.awarded_offer_ids),
        invitation.org_id, case when invitation.awaits_acceptance then sourcing.rfq_outline_fields() end) as document
      offset 0
    ) seen
    where invitation.rfq_id = ${id} and ${isInvited(sql, orgId)} and entry.record_id = ${id}
      and entry.party_document is not null and (declined_at is null or entry.timestamp <= declined_at)
      and (entry.timestamp, entry.id) < (${key.timestamp}::timestamptz, ${key.id}) and seen.document is not null
    order by entry.timestamp desc, entry.id desc limit ${limit} offset ${offset}`
}
