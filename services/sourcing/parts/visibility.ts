import type { Fragment, Sql } from '../../kit/db/client.ts'
import { inView, isParty, isPartyToPart, type OrgRef } from '../orders/visibility.ts'

/* Conditions on rows of `sourcing.parts`. The texts match the predicates of the partial indexes. */

export const isOwn = (sql: Sql, orgId: OrgRef) => sql`ip_owner_org_id = ${orgId}`

export const isPublic = (sql: Sql) => sql`state = 'PUBLISHED' and not internal`

/**
 * The invitation of an organization, on rows `invitation`. A published RFQ has a row for each invited manufacturer. An
 * invitation ends with its decline, with the cancellation of the RFQ, and with an award without the manufacturer. The
 * text matches the predicate of the partial index.
 */
const isLiveInvitation = (sql: Sql, orgId: OrgRef) => sql`invitation.org_id = ${orgId}
  and invitation.state <> 'DECLINED'
  and (invitation.rfq_state in ('OPEN', 'CLOSED') or invitation.awarded_offer_ids <> '{}')`

/**
 * An invitation by which the organization reads all that invitees read: it has accepted the terms, if there are any.
 */
export const isWholeInvitation = (sql: Sql, orgId: OrgRef) =>
  sql`${isLiveInvitation(sql, orgId)} and not invitation.awaits_acceptance`

/** Whether an invitation lets the organization read the revision that an RFQ pins. */
export const isInvitedTo = (sql: Sql, orgId: OrgRef, rfqId: Fragment) => sql`exists (
  select from sourcing.rfq_invitations invitation
  where invitation.rfq_id = ${rfqId} and ${isWholeInvitation(sql, orgId)})`

/** A published RFQ of the organization, on rows `rfq`. The text matches the predicate of the partial index. */
export const isOwnRfq = (sql: Sql, orgId: OrgRef) => sql`rfq.consumer_org_id = ${orgId}
  and rfq.published_at is not null and rfq.state <> 'CANCELLED'`

/**
 * ACTIVE and not expired, on rows `subscription`. It has the clock of the database, because each condition on parts
 * contains it; the worker ends expired ones within five seconds.
 */
const isInForce = (sql: Sql) => sql`
  subscription.state = 'ACTIVE' and (subscription.expires_at is null or subscription.expires_at > now())`

/** Whether an organization is a subscriber to the part by name. */
const isSubscribedByName = (sql: Sql, orgId: OrgRef) => sql`exists (
  select from sourcing.subscriptions subscription
  where subscription.consumer_org_id = ${orgId} and subscription.part_id = parts.id and ${isInForce(sql)})`

/** Whether an organization is a subscriber to all parts of the owner. */
const isSubscribedToAll = (sql: Sql, orgId: OrgRef) => sql`exists (
  select from sourcing.subscriptions subscription
  where subscription.consumer_org_id = ${orgId} and subscription.ip_owner_org_id = parts.ip_owner_org_id
    and subscription.part_id is null and ${isInForce(sql)})`

/**
 * Whether an organization may ask for quotations of a part, apart from `needsSubscription`: its IP owner, any for a
 * public part, and a subscriber to an internal part by name once it is published. It reads the part as it is now.
 */
export const isSourceable = (sql: Sql, orgId: OrgRef) => sql`(
  ${isOwn(sql, orgId)} or (${isPublic(sql)}) or state = 'PUBLISHED' and ${isSubscribedByName(sql, orgId)})`

/** Whether the part requires a subscription that the organization does not have. */
export const needsSubscription = (sql: Sql, orgId: OrgRef) => sql`(
  coalesce((content ->> 'requireSubscription')::boolean, false) and not ${isOwn(sql, orgId)}
  and not ${isSubscribedByName(sql, orgId)} and not ${isSubscribedToAll(sql, orgId)})`

/**
 * Whether an organization may read a part, its files and its metadata. It may not source a part that it reads only as
 * an invitee, as the consumer of an RFQ or as a party to an order: otherwise it could invite others to it. The history
 * of a part is its owner's alone.
 */
export const isReadable = (sql: Sql, orgId: OrgRef) => isReadableBy(sql, orgId, isLiveInvitation(sql, orgId))

/** Whether an organization reads more of a part than the outline that comes before the acceptance of terms. */
export const isWhollyReadable = (sql: Sql, orgId: OrgRef) => isReadableBy(sql, orgId, isWholeInvitation(sql, orgId))

const isReadableBy = (sql: Sql, orgId: OrgRef, isInvitation: Fragment) => sql`(
  ${isSourceable(sql, orgId)}
  or exists (
    select from sourcing.rfq_invitations invitation where ${isInvitation} and invitation.part_id = parts.id)
  or exists (select from sourcing.rfqs rfq where ${isOwnRfq(sql, orgId)} and rfq.part_id = parts.id)
  or ${isPartyToPart(sql, orgId)})`

/** The newest records of each kind that decide which revision an organization reads. */
const MAX_PINS = 100

/**
 * The latest revision that an RFQ or order pins by which the organization reads the part. A part that it may not source
 * is read as of this revision.
 */
export const pinnedRevision = (sql: Sql, orgId: OrgRef) => {
  const ordered = (view: Parameters<typeof inView>[2]) => sql`(
    select part_revision from sourcing.orders where ${inView(sql, orgId, view)} and part_id = parts.id
    order by id desc limit ${MAX_PINS})`
  return sql`(
    select max(part_revision) from (
      (select part_revision from sourcing.rfq_invitations invitation
        where ${isWholeInvitation(sql, orgId)} and invitation.part_id = parts.id
        order by rfq_id desc limit ${MAX_PINS})
      union all (select part_revision from sourcing.rfqs rfq where ${isOwnRfq(sql, orgId)} and rfq.part_id = parts.id
        order by id desc limit ${MAX_PINS})
      union all ${ordered('CONSUMER')} union all ${ordered('IP_OWNER')} union all ${ordered('MANUFACTURER')}
      union all ${ordered('SELLER')} union all ${ordered('DISTRIBUTOR')}) pins)`
}

/** The latest revision of which the organization reads an outline until it accepts the terms. */
const outlinedRevision = (sql: Sql, orgId: OrgRef) => sql`(
  select max(part_revision) from sourcing.rfq_invitations invitation
  where ${isLiveInvitation(sql, orgId)} and invitation.part_id = parts.id)`

/**
 * What an organization reads of a part as a whole: `content` and `technology_ids` of the part as it is now, else of the
 * pinned revision.
 */
export const partAsRead = (sql: Sql, orgId: OrgRef, id: string | Fragment | null) => {
  const pinned = (column: Fragment) => sql`(
    select ${column} from sourcing.part_revisions pinned
    where pinned.part_id = parts.id and pinned.revision = ${pinnedRevision(sql, orgId)})`
  return sql`(
    select
      case when ${isSourceable(sql, orgId)} then content else ${pinned(sql`pinned.content`)} end as content,
      case when ${isSourceable(sql, orgId)} then technology_ids
        else ${pinned(sql`pinned.technology_ids`)} end as technology_ids
    from sourcing.parts where id = ${id} and ${isWhollyReadable(sql, orgId)}
    offset 0)`
}

/** The files of the revision that the organization reads; null for those of the part as it is now. */
export const pinnedFileIds = (sql: Sql, orgId: OrgRef) => sql`case when not ${isSourceable(sql, orgId)} then coalesce((
  select file_ids from sourcing.part_revisions pinned
  where pinned.part_id = parts.id and pinned.revision = ${pinnedRevision(sql, orgId)}), '{}') end`

/**
 * The JSON of a part that the organization may read, which is an outline where it reads the part only by invitations
 * whose terms it has not accepted. Null where the pinned revision is no longer
 * kept.
 */
export const documentFor = (sql: Sql, orgId: OrgRef) => sql`case
  when ${isOwn(sql, orgId)} then owner_document
  when ${isSourceable(sql, orgId)} then document
  else coalesce((
    select sourcing.part_document(sourcing.part_at(pinned, parts)) from sourcing.part_revisions pinned
    where pinned.part_id = parts.id and pinned.revision = ${pinnedRevision(sql, orgId)}
  ), (
    select sourcing.part_outline(sourcing.part_document(sourcing.part_at(pinned, parts))::json)
    from sourcing.part_revisions pinned
    where pinned.part_id = parts.id and pinned.revision = ${outlinedRevision(sql, orgId)})) end`

/**
 * Whether an organization may read a pinned revision because of an RFQ or an order that pins it: on rows `pinned` of
 * `sourcing.part_revisions`.
 */
export const isRevisionReader = (sql: Sql, orgId: string) => sql`(
  exists (
    select from sourcing.rfq_invitations invitation
    where ${isWholeInvitation(sql, orgId)} and invitation.part_id = pinned.part_id and part_revision = pinned.revision)
  or exists (
    select from sourcing.rfqs rfq
    where ${isOwnRfq(sql, orgId)} and rfq.part_id = pinned.part_id and part_revision = pinned.revision)
  or exists (
    select from sourcing.orders
    where ${isParty(sql, orgId)} and orders.part_id = pinned.part_id and part_revision = pinned.revision))`
