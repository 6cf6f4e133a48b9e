import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { OfferState } from '../../../proto/states/offers.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { isActive, isReleasedBy, maySource } from '../factories/visibility.ts'
import type { OfferRow } from '../offers/events.ts'
import type { OfferedFactory } from '../offers/rules.ts'
import { isConsumer as isConsumerOfOffer } from '../offers/visibility.ts'
import type { PriceBreak } from './pricing.ts'

/** The RFQ of a submitted offer of which the organization is the consumer. */
export const findRfqOf = (sql: Sql, orgId: string, offerId: string) => sql<{ rfq_id: string }[]>`
  select rfq_id from sourcing.offers where id = ${offerId} and ${isConsumerOfOffer(sql, orgId)}`

export interface AwardedOffer extends OfferRow {
  factory_id: string
  state: OfferState
  price_breaks: PriceBreak[]
  tooling_cost: string | null
  shipping_cost: string | null
  valid_until: string
  payment_terms: string | null
  /** The version of the RFQ for which it was submitted or reconfirmed. */
  rfq_version: number
  outdated: boolean
}

/** The submitted offers for an RFQ, and the named ones, locked in the order of their ids. Drafts are not among them. */
export const lockOffers = (tx: Tx, rfqId: string, ids: readonly string[]) => tx<AwardedOffer[]>`
  select id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, state, price_breaks,
    tooling_cost, shipping_cost, valid_until, payment_terms, rfq_version, outdated
  from sourcing.offers
  where rfq_id = ${rfqId} and submitted_at is not null and (state = 'SUBMITTED' or id = any(${[...ids]}))
  order by id for update`

/** No row if the part was deleted. It cannot be deleted until the transaction ends. */
export const lockPart = (tx: Tx, partId: string) => tx<{ id: string }[]>`
  select id from sourcing.parts where id = ${partId} for share`

/**
 * The factories of offers, which stay as they are until the transaction ends. A maker cannot take back a binding offer
 * by deactivating its factory or making it internal.
 */
export const lockFactories = (
  tx: Tx,
  consumerOrgId: string,
  { ids, areBinding }: { ids: readonly string[]; areBinding: boolean },
) => tx<({ id: string } & OfferedFactory)[]>`
  select factory.id, ${areBinding ? tx`factory.org_manufactures` : isActive(tx)} as "isActive",
    consumer.engagement = 'DISTRIBUTOR' as "needsRelease",
    ${areBinding ? isReleasedBy(tx, tx`consumer.distributor_org_id`, tx`consumer.org_id`) : maySource(tx, consumerOrgId)} as "isReleased"
  from sourcing.factories factory
  join organization.org_directory consumer on consumer.org_id = ${consumerOrgId}
  where factory.id = any(${[...ids]})
  order by factory.id
  for share of factory`

/** The distributor of the consumer, and whether the named organization sells its own parts or those of others. */
export const findOrganizations = (sql: Sql, consumerOrgId: string, sellerOrgId: string | undefined) => sql<
  [{ distributor_org_id: string | null; is_seller: boolean }]
>`
  select distributor_org_id, coalesce((
    select roles && '{SELLER,MANUFACTURER}' from organization.org_directory where org_id = ${sellerOrgId ?? null}), false) as is_seller
  from organization.org_directory where org_id = ${consumerOrgId}`

export interface Accepted {
  acceptedIds: readonly string[]
  /** Whether no pieces are missing. */
  isComplete: boolean
}

/** Accepts SUBMITTED offers. Once nothing is missing, the others are rejected, or have expired. */
export const endOffers = (tx: Tx, rfqId: string, { acceptedIds, isComplete }: Accepted, now: string) => tx<
  (OfferRow & { state: 'ACCEPTED' | 'EXPIRED' | 'REJECTED' })[]
>`
  update sourcing.offers set updated_at = ${now}, reinstatement_asked_at = null,
    rejected_by_award = not (id = any(${[...acceptedIds]})) and valid_until > ${now},
    state = case
      when id = any(${[...acceptedIds]}) then 'ACCEPTED' when valid_until <= ${now} then 'EXPIRED' else 'REJECTED' end
  where rfq_id = ${rfqId} and state = 'SUBMITTED' and (${isComplete} or id = any(${[...acceptedIds]}))
  returning id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, state`

/**
 * Stores with each invitation which of its manufacturer's offers were awarded. The RFQ is changed after that, because
 * the trigger of its change reads the invitations.
 */
export const markAwarded = (tx: Tx, rfqId: string, offerIds: readonly string[]) => tx`
  update sourcing.rfq_invitations invitation set awarded_offer_ids = own.offer_ids
  from (
    select manufacturer_org_id, array_agg(id order by place) as offer_ids
    from unnest(${[...offerIds]}::text[]) with ordinality awarded (offer_id, place)
    join sourcing.offers on id = offer_id
    group by manufacturer_org_id
  ) own
  where invitation.rfq_id = ${rfqId} and invitation.org_id = own.manufacturer_org_id`

interface AwardChange {
  state: string
  awardedOfferIds: readonly string[]
  missingQuantity: number | null
}

/** Changes the award of an RFQ that is locked. */
export const updateAward = (
  tx: Tx,
  id: string,
  { state, awardedOfferIds, missingQuantity }: AwardChange,
  now: string,
) => tx<[{ document: string }]>`
  update sourcing.rfqs set state = ${state}, awarded_offer_ids = ${[...awardedOfferIds]},
    missing_quantity = ${missingQuantity}, updated_at = ${now}
  where id = ${id}
  returning consumer_document as document`

/** The orders of an RFQ with those of earlier awards. */
export const countOrders = (tx: Tx, rfqId: string) => tx<[{ count: number }]>`
  select count(*)::integer as count from sourcing.orders where rfq_id = ${rfqId}`

interface NewOrder {
  id: string
  serialNumber: string
  sellerOrgId: string
  distributorOrgId: string | null
  quantity: number
  unitPrice: string
  total: string
  currency: string
  dueDate: string
  partRevision: number | null
  purchaseOrderNumber: string | null
  paymentTerms: string | null
  delivery: Rfq['delivery'] | null
  /** Null where the manufacturer sells. */
  sellerFee: string | null
}

/**
 * No row where another order has the same serial number. A consumer that is the IP owner releases its files by the
 * award.
 */
export const insertOrder = (tx: Tx, order: NewOrder, offer: AwardedOffer, now: string) => tx<{ document: string }[]>`
  insert into sourcing.orders (
    id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id, ip_owner_org_id, manufacturer_org_id,
    seller_org_id, distributor_org_id, state, quantity, unit_price, tooling_cost, shipping_cost, total, currency, due_date,
    files_released_at, part_revision, purchase_order_number, payment_terms, delivery, seller_fee,
    created_at, updated_at)
  values (
    ${order.id}, ${order.serialNumber}, ${offer.rfq_id}, ${offer.id}, ${offer.part_id}, ${offer.factory_id},
    ${offer.consumer_org_id}, ${offer.ip_owner_org_id}, ${offer.manufacturer_org_id}, ${order.sellerOrgId},
    ${order.distributorOrgId}, 'PLACED', ${order.quantity}, ${order.unitPrice}, ${offer.tooling_cost},
    ${offer.shipping_cost}, ${order.total}, ${order.currency}, ${order.dueDate},
    case when ${offer.consumer_org_id} = ${offer.ip_owner_org_id} then ${now}::timestamptz end,
    ${order.partRevision}, ${order.purchaseOrderNumber}, ${order.paymentTerms},
    ${order.delivery ? JSON.stringify(order.delivery) : null}::text::json, ${order.sellerFee}, ${now}, ${now})
  on conflict (serial_number) do nothing
  returning coalesce(fee_document, document) as document`
