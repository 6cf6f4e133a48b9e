import type { Actor } from '../../../proto/states/state-table.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { Due } from '../../kit/worker/batches.ts'
import { isActive, isOwn, maySource } from '../factories/visibility.ts'
import type { RecordRow } from '../renderings/documents.ts'
import type { OfferRow, SharedOffer } from './events.ts'
import type { OfferContent, OfferCount, OfferedFactory } from './rules.ts'
import { documentFor, isActor, isConsumer, isIpOwner, isManufacturer, pictureFor } from './visibility.ts'

/** The JSON of an offer for an organization; no row where the organization may not read it. */
export const findOffer = (sql: Sql, orgId: string, id: string) => sql<{ document: string }[]>`
  select ${documentFor(sql, orgId)} as document from sourcing.offers
  where id = ${id} and (${isManufacturer(sql, orgId)} or (${isConsumer(sql, orgId)}) or (${isIpOwner(sql, orgId)}))`

/** The same with the picture of its part. */
export const findPicturedOffer = (sql: Sql, orgId: string, id: string) => sql<RecordRow[]>`
  select id as position, ${documentFor(sql, orgId)} as document, ${pictureFor(sql, orgId)} as "pinnedPicture" from sourcing.offers
  where id = ${id} and (${isManufacturer(sql, orgId)} or (${isConsumer(sql, orgId)}) or (${isIpOwner(sql, orgId)}))`

/** A factory of the manufacturer, locked until the transaction ends, so that it stays active. */
export const lockFactory = (tx: Tx, orgId: string, factoryId: string, consumerOrgId: string) => tx<OfferedFactory[]>`
  select ${isActive(tx)} as "isActive", consumer.engagement = 'DISTRIBUTOR' as "needsRelease",
    ${maySource(tx, consumerOrgId)} as "isReleased"
  from sourcing.factories factory
  join organization.org_directory consumer on consumer.org_id = ${consumerOrgId}
  where factory.id = ${factoryId} and ${isOwn(tx, orgId)}
  for share of factory`

/** The offers of an organization for an RFQ. */
export const countOffers = (tx: Tx, orgId: string, rfqId: string) => tx<[OfferCount]>`
  select count(*) filter (where state in ('DRAFT', 'SUBMITTED'))::integer as live, count(*)::integer as all
  from sourcing.offers where rfq_id = ${rfqId} and ${isManufacturer(tx, orgId)}`

interface NewOffer {
  id: string
  rfqId: string
  partId: string
  manufacturerOrgId: string
  consumerOrgId: string
  ipOwnerOrgId: string
  currency: string
  createdBy: string
}

interface StoredOffer extends OfferRow {
  document: string
}

export const insertOffer = (tx: Tx, offer: NewOffer, content: OfferContent, now: string) => tx<[StoredOffer]>`
  insert into sourcing.offers (
    id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, state, currency, price_breaks,
    tooling_cost, shipping_cost, valid_until, revision, reference, payment_terms, notes, created_at, updated_at,
    created_by)
  values (
    ${offer.id}, ${offer.rfqId}, ${offer.partId}, ${offer.manufacturerOrgId}, ${offer.consumerOrgId},
    ${offer.ipOwnerOrgId}, ${content.factoryId}, 'DRAFT', ${offer.currency},
    ${JSON.stringify(content.priceBreaks)}::text::jsonb, ${content.toolingCost}, ${content.shippingCost},
    ${content.validUntil}, 1, ${content.reference}, ${content.paymentTerms}, ${content.notes}, ${now}, ${now}, ${offer.createdBy})
  returning id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, document`

export interface OwnOfferRow extends StoredOffer {
  currency: string
  previous_offer_id: string | null
  has_draft_revision: boolean
}

/** The RFQ of an own offer, which is locked before the offer. */
export const findRfqOf = (sql: Sql, orgId: string, id: string) => sql<{ rfq_id: string }[]>`
  select rfq_id from sourcing.offers where id = ${id} and ${isManufacturer(sql, orgId)}`

/** An own offer, locked until the transaction ends. */
export const lockOwnOffer = (tx: Tx, orgId: string, id: string) => tx<OwnOfferRow[]>`
  select id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, currency, previous_offer_id, document,
    exists (
      select from sourcing.offers revision
      where revision.previous_offer_id = offers.id and revision.state = 'DRAFT') as has_draft_revision
  from sourcing.offers where id = ${id} and ${isManufacturer(tx, orgId)} for update of offers`

/** A draft with the content of an own offer. */
export const insertRevision = (
  tx: Tx,
  { id, orgId, previousOfferId, createdBy }: { id: string; orgId: string; previousOfferId: string; createdBy: string },
  now: string,
) => tx<[StoredOffer]>`
  insert into sourcing.offers (
    id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, state, currency, price_breaks,
    tooling_cost, shipping_cost, valid_until, revision, previous_offer_id, reference, payment_terms, notes, created_at,
    updated_at, created_by)
  select ${id}, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, 'DRAFT', currency,
    price_breaks, tooling_cost, shipping_cost, valid_until, revision + 1, id, reference, payment_terms, notes,
    ${now}, ${now}, ${createdBy}
  from sourcing.offers where id = ${previousOfferId} and ${isManufacturer(tx, orgId)}
  returning id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, document`

/** Locks the RFQ of an offer, which is found afterwards. */
export const lockRfqOf = (tx: Tx, orgId: string, by: readonly Actor[], id: string) => tx`
  select id from sourcing.rfqs where id = (
    select rfq_id from sourcing.offers where id = ${id} and ${isActor(tx, orgId, by)})
  for share`

/** The JSON of an offer for an organization to which a verb belongs, locked until the transaction ends. */
export const lockOffer = (tx: Tx, orgId: string, by: readonly Actor[], id: string) => tx<{ document: string }[]>`
  select document from sourcing.offers
  where id = ${id} and ${isActor(tx, orgId, by)} for update`

export const updateContent = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  content: OfferContent,
  now: string,
) => tx<StoredOffer[]>`
  update sourcing.offers set
    factory_id = ${content.factoryId}, price_breaks = ${JSON.stringify(content.priceBreaks)}::text::jsonb,
    tooling_cost = ${content.toolingCost}, shipping_cost = ${content.shippingCost},
    valid_until = ${content.validUntil}, reference = ${content.reference}, payment_terms = ${content.paymentTerms},
    notes = ${content.notes}, updated_at = ${now}
  where id = ${id} and ${isManufacturer(tx, orgId)} and state = 'DRAFT'
  returning id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, document`

interface StateChange {
  from: readonly string[]
  to: string
  reason?: string | undefined
  /** The RFQ for which the offer is submitted. */
  rfq?: RfqVersion | undefined
}

/** What an offer is for. Every published RFQ has a version; only one whose part was deleted has no revision. */
export interface RfqVersion {
  version?: number
  partRevision?: number
}

/** No row if the offer is no longer valid or no longer in a state of `from`: of two concurrent calls one succeeds. */
export const moveState = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  { from, to, reason, rfq = {} }: StateChange,
  now: string,
) => tx<(StoredOffer & SharedOffer)[]>`
  update sourcing.offers set state = ${to}, reason = ${reason ?? null}, updated_at = ${now},
    rfq_version = coalesce(${rfq.version ?? null}, rfq_version),
    part_revision = coalesce(${rfq.partRevision ?? null}, part_revision),
    submitted_at = case when ${to} = 'SUBMITTED' then ${now}::timestamptz else submitted_at end
  where id = ${id} and (${isManufacturer(tx, orgId)} or (${isConsumer(tx, orgId)})) and state = any(${[...from]})
    and valid_until > ${now}
  returning id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id,
    hidden_from_ip_owner, ${documentFor(tx, orgId)} as document`

/** Makes an own outdated offer one for the current version of its RFQ. */
export const reconfirm = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  { version, partRevision }: RfqVersion,
  now: string,
) => tx<(StoredOffer & SharedOffer)[]>`
  update sourcing.offers set outdated = false, rfq_version = ${version ?? null}, part_revision = ${partRevision ?? null},
    updated_at = ${now}
  where id = ${id} and ${isManufacturer(tx, orgId)} and state = 'SUBMITTED' and valid_until > ${now}
  returning id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id,
    hidden_from_ip_owner, document`

/** Makes an own offer that lost against others a SUBMITTED one again. */
export const reinstate = (tx: Tx, { orgId, id }: { orgId: string; id: string }, now: string) => tx<
  (StoredOffer & SharedOffer)[]
>`
  update sourcing.offers set state = 'SUBMITTED', rejected_by_award = false, reinstatement_asked_at = null,
    submitted_at = ${now}, updated_at = ${now}
  where id = ${id} and ${isManufacturer(tx, orgId)} and state = 'REJECTED' and valid_until > ${now}
  returning id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, hidden_from_ip_owner, document`

/** The invitation of the manufacturer, whose first submission is recorded. */
export const markOffered = (tx: Tx, orgId: string, rfqId: string, now: string) => tx`
  update sourcing.rfq_invitations set state = 'OFFERED', offered_at = coalesce(offered_at, ${now}::timestamptz)
  where rfq_id = ${rfqId} and org_id = ${orgId}`

/**
 * Ends the submitted offers of RFQs that are cancelled: REJECTED, or EXPIRED where the validity has passed. The RFQs
 * are locked.
 */
export const endOffersOf = (tx: Tx, rfqIds: readonly string[], now: string) => tx<
  (OfferRow & { state: 'REJECTED' | 'EXPIRED' })[]
>`
  with locked as materialized (
    select id from sourcing.offers where rfq_id = any(${[...rfqIds]}) and state = 'SUBMITTED' order by id for update
  )
  update sourcing.offers offer set
    state = case when valid_until <= ${now} then 'EXPIRED' else 'REJECTED' end, updated_at = ${now}
  from locked where offer.id = locked.id and offer.state = 'SUBMITTED'
  returning offer.id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, state`

/** Lost offers of cancelled RFQs are no longer asked for. */
export const endAskingOf = (tx: Tx, rfqIds: readonly string[]) => tx`
  update sourcing.offers set reinstatement_asked_at = null
  where rfq_id = any(${[...rfqIds]}) and state = 'REJECTED' and reinstatement_asked_at is not null`

/** Expires SUBMITTED offers whose validity has passed. Replicas take different rows. */
export const expireDue = (sql: Sql, { now, limit, except }: Due) => sql<SharedOffer[]>`
  with due as materialized (
    select id from sourcing.offers
    where state = 'SUBMITTED' and valid_until <= ${now} and id <> all(${[...except]})
    order by valid_until limit ${limit} for update skip locked
  )
  update sourcing.offers offer set state = 'EXPIRED', updated_at = ${now}
  from due where offer.id = due.id
  returning offer.id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, hidden_from_ip_owner`
