import type * as api from '../../../proto/http/sourcing/awards.ts'
import type { AcceptedOffer, AwardedRfq } from '../../../proto/http/sourcing/awards.ts'
import type { Offer } from '../../../proto/http/sourcing/offers.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { withSerialNumber } from '../../kit/db/ids.ts'
import { found } from '../../kit/errors/refusal.ts'
import { sellerFeeOf, totalOf } from '../money/money.ts'
import { emitOfferEvents } from '../offers/events.ts'
import { endAskingOf, findOffer } from '../offers/queries.ts'
import { emitOrderEvent } from '../orders/events.ts'
import type { OrderFollowers } from '../orders/followers.ts'
import { caseChange, emitRfqEvent } from '../rfqs/events.ts'
import type { RfqFollowers } from '../rfqs/followers.ts'
import { closeExpired } from '../rfqs/moves.ts'
import { stateAt } from '../rfqs/rules.ts'
import { type AwardPlan, type AwardRequest, type Line, lockAwardable } from './plans.ts'
import { breakFor, dueDateOf } from './pricing.ts'
import * as queries from './queries.ts'
import { ACCEPT_FIELDS, AWARD_FIELDS } from './rules.ts'

export interface AwardDeps {
  followers: RfqFollowers & OrderFollowers
}

/** Awards an own RFQ to one or several offers; of concurrent awards one succeeds. */
export async function awardRfq(
  deps: AwardDeps,
  { tx, caller: { orgId }, params, body, now, audit }: CommandOf<typeof api.awardRfq>,
): Promise<AwardedRfq> {
  const { rfq, orders } = await award(deps, tx, { orgId, rfqId: params.id, ...body, fields: AWARD_FIELDS, now })
  audit.add({ orderIds: orders.map(({ id }) => id) })
  return { ...rfq, orders }
}

/** Awards the RFQ of an offer only to this offer. */
export async function acceptOffer(
  deps: AwardDeps,
  { tx, caller: { orgId }, params, body, now, audit }: CommandOf<typeof api.acceptOffer>,
): Promise<AcceptedOffer> {
  const { rfq_id: rfqId } = found(await queries.findRfqOf(tx, orgId, params.id))
  const { sellerOrgId, sellerFeePercent, ...line } = body
  const awards = [{ offerId: params.id, ...line }]
  const { orders } = await award(deps, tx, {
    ...{ orgId, rfqId, awards, sellerOrgId, sellerFeePercent },
    ...{ fields: ACCEPT_FIELDS, now },
  })
  audit.add({ orderIds: orders.map(({ id }) => id) })
  const offer: Offer = JSON.parse(found(await findOffer(tx, orgId, params.id)).document)
  return { ...offer, orders }
}

async function award(deps: AwardDeps, tx: Tx, request: AwardRequest): Promise<PlacedAward> {
  const plan = await lockAwardable(tx, 'award', request)
  const placed = await placeAward(deps, tx, plan)
  await updateCases(deps, tx, [plan], request.now)
  return placed
}

/** An awarded RFQ with its orders. */
interface PlacedAward {
  rfq: Rfq
  orders: Order[]
}

/** Ends an RFQ with orders. The plan was checked, and its cases are updated last. */
export async function placeAward({ followers }: AwardDeps, tx: Tx, plan: AwardPlan): Promise<PlacedAward> {
  const { rfq, lines, now } = plan
  const offerIds = lines.map(({ offer }) => offer.id)
  if (hasExpired(plan)) await closeExpired(tx, [rfq], now)
  // Before the award, whose answer tells how many questions are left.
  await followers.endQuestions(tx, [rfq], now)
  await queries.markAwarded(tx, rfq.id, offerIds)
  const change = { state: RFQ.verbs.award.to, awardedOfferIds: offerIds, missingQuantity: null }
  const [awarded] = await queries.updateAward(tx, rfq.id, change, now)
  await emitRfqEvent(tx, 'awarded', rfq)
  await acceptOffers(tx, rfq.id, { acceptedIds: offerIds, isComplete: true }, now)
  const orders = await placeOrders(tx, plan)
  await followers.openAssignments(tx, orders)
  return { rfq: JSON.parse(awarded.document), orders }
}

const hasExpired = ({ rfq, now }: AwardPlan) => stateAt(rfq, now) !== rfq.state

/** Updates the cases of awarded RFQs, which comes last in a transaction. */
export async function updateCases(
  { followers }: AwardDeps,
  tx: Tx,
  plans: readonly AwardPlan[],
  now: string,
): Promise<void> {
  const closed = plans.filter(hasExpired).map(({ rfq }) => caseChange('closed', rfq))
  await followers.updateCases(tx, closed, now)
  const awarded = plans.map(({ rfq, lines }) => {
    const keptFor = lines.map(({ offer }) => offer.manufacturer_org_id)
    return { ...caseChange('awarded', rfq), ends: true, keptFor }
  })
  await followers.updateCases(tx, awarded, now)
}

const EVENT_NAMES = { ACCEPTED: 'accepted', EXPIRED: 'expired', REJECTED: 'rejected' } as const

/** Accepts offers for an RFQ; once nothing is missing, all others end. */
export async function acceptOffers(tx: Tx, rfqId: string, accepted: queries.Accepted, now: string) {
  const ended = await queries.endOffers(tx, rfqId, accepted, now)
  if (accepted.isComplete) await endAskingOf(tx, [rfqId])
  await emitOfferEvents(
    tx,
    ended.map((offer) => [EVENT_NAMES[offer.state], offer] as const),
  )
  return ended
}

/** Places the orders of a checked plan. */
export async function placeOrders(tx: Tx, plan: AwardPlan): Promise<Order[]> {
  const orders: Order[] = []
  for (const line of plan.lines) {
    const order = await placeOrder(tx, line, plan)
    await emitOrderEvent(tx, 'placed', order)
    orders.push(order)
  }
  return orders
}

async function placeOrder(
  tx: Tx,
  { orderId, quantity, purchaseOrderNumber, offer }: Line,
  { organizations: { sellerOrgId, distributorOrgId }, fees, rfq, now }: AwardPlan,
): Promise<Order> {
  const price = breakFor(offer.price_breaks, quantity)
  if (!price) throw new Error('an awarded quantity has a price')
  const { unitPrice, leadTimeDays } = price
  const costs = { unitPrice, quantity, toolingCost: offer.tooling_cost, shippingCost: offer.shipping_cost }
  const isOwnSeller = sellerOrgId === offer.manufacturer_org_id
  const feePercent = isOwnSeller ? null : (fees.get(offer.manufacturer_org_id) ?? null)
  const order = {
    id: orderId,
    sellerOrgId: sellerOrgId ?? offer.manufacturer_org_id,
    distributorOrgId,
    currency: rfq.currency,
    partRevision: rfq.partRevision ?? null,
    purchaseOrderNumber: purchaseOrderNumber ?? null,
    paymentTerms: offer.payment_terms ?? rfq.paymentTerms ?? null,
    delivery: rfq.delivery ?? null,
    quantity,
    unitPrice,
    total: totalOf(costs),
    sellerFee: feePercent === null ? null : sellerFeeOf(costs, feePercent, rfq.currency),
    dueDate: dueDateOf(now, leadTimeDays),
  }
  const { document } = await withSerialNumber('O', (serialNumber) =>
    queries.insertOrder(tx, { ...order, serialNumber }, offer, now),
  )
  return JSON.parse(document)
}
