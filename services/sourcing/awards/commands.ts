import type { FieldError } from '../../../proto/errors.ts'
import type * as api from '../../../proto/http/sourcing/awards.ts'
import { type AcceptedOffer, type AwardedRfq, MAX_ORDERS } from '../../../proto/http/sourcing/awards.ts'
import type { Offer } from '../../../proto/http/sourcing/offers.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newSeparateIdAt, withSerialNumber } from '../../kit/db/ids.ts'
import { found, invalid, refuse } from '../../kit/errors/refusal.ts'
import { compare, sellerFeeOf, totalOf } from '../money/money.ts'
import { emitOfferEvents } from '../offers/events.ts'
import { endAskingOf, findOffer } from '../offers/queries.ts'
import { emitOrderEvent } from '../orders/events.ts'
import type { OrderFollowers } from '../orders/followers.ts'
import { caseChange, emitRfqEvent } from '../rfqs/events.ts'
import type { RfqFollowers } from '../rfqs/followers.ts'
import { lockOwn } from '../rfqs/legality.ts'
import { closeExpired } from '../rfqs/moves.ts'
import { stateAt } from '../rfqs/rules.ts'
import { lockFees } from '../sales-agreements/queries.ts'
import { breakFor, dueDateOf } from './pricing.ts'
import * as queries from './queries.ts'
import {
  ACCEPT_FIELDS,
  AWARD_FIELDS,
  type Award,
  type FieldNames,
  GUARDS,
  isConcealed,
  referenceProblems,
  TOO_MANY_ORDERS,
  unknownSeller,
} from './rules.ts'

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

interface AwardRequest {
  orgId: string
  rfqId: string
  awards: readonly Award[]
  sellerOrgId?: string | undefined
  sellerFeePercent?: string | undefined
  fields: FieldNames
  now: string
}

/** Locks the RFQ, then its offers, so that submissions, withdrawals and other awards come before or after. */
async function award(
  deps: AwardDeps,
  tx: Tx,
  { orgId, rfqId, awards, sellerOrgId, sellerFeePercent, fields, now }: AwardRequest,
): Promise<PlacedAward> {
  const { rfq } = await lockOwn(tx, orgId, rfqId)
  const organizations = await findSeller(tx, orgId, { sellerOrgId, sellerFeePercent })
  const plan = await planAward(tx, { rfq, awards, organizations, fields, now })
  const problems = [...plan.problems, ...organizations.problems]
  if (problems.length > 0) throw invalid(problems)
  await requireAwardable(tx, plan)
  const placed = await placeAward(deps, tx, plan)
  await updateCases(deps, tx, [plan], now)
  return placed
}

interface Organizations {
  /** Undefined: each manufacturer sells what it makes. */
  sellerOrgId: string | undefined
  distributorOrgId: string | null
  /** The fee that the consumer expects; undefined where it does not say. */
  sellerFeePercent: string | undefined
  problems: readonly FieldError[]
}

/** The seller that an award names, and the distributor of the consumer. */
export async function findSeller(
  tx: Tx,
  orgId: string,
  { sellerOrgId, sellerFeePercent }: { sellerOrgId?: string | undefined; sellerFeePercent?: string | undefined },
): Promise<Organizations> {
  const [{ distributor_org_id: distributorOrgId, is_seller: isSeller }] = await queries.findOrganizations(
    tx,
    orgId,
    sellerOrgId,
  )
  return {
    sellerOrgId,
    sellerFeePercent,
    distributorOrgId,
    problems: sellerOrgId !== undefined && !isSeller ? [unknownSeller(sellerOrgId)] : [],
  }
}

interface PlannedAward {
  rfq: Rfq
  awards: readonly Award[]
  organizations: Organizations
  fields: FieldNames
  now: string
}

/** An award of a locked RFQ, whose offers are locked. */
export interface AwardPlan extends PlannedAward {
  lines: readonly Line[]
  /** Offers that the request may not name. */
  problems: readonly FieldError[]
  /** The fee of the named seller for each manufacturer with which it has an agreement. */
  fees: ReadonlyMap<string, string>
}

/** Locks the offers of a locked RFQ. */
export async function planAward(tx: Tx, planned: PlannedAward): Promise<AwardPlan> {
  const { rfq, awards, organizations, fields, now } = planned
  const locked = await queries.lockOffers(
    tx,
    rfq.id,
    awards.map(({ offerId }) => offerId),
  )
  const offers = new Map(locked.map((offer) => [offer.id, offer]))
  const { sellerOrgId } = organizations
  const makers = awards.flatMap(({ offerId }) => offers.get(offerId)?.manufacturer_org_id ?? [])
  const fees = sellerOrgId === undefined ? [] : await lockFees(tx, sellerOrgId, makers)
  // The ids sort as the request does, and do not tell a manufacturer how many orders of others lie between its own.
  const orderIds = awards.map(() => newSeparateIdAt('order', now)).toSorted()
  return {
    ...planned,
    fees: new Map(fees.map(({ manufacturerOrgId, feePercent }) => [manufacturerOrgId, feePercent])),
    problems: referenceProblems(awards, new Set(offers.keys()), fields),
    lines: awards.map(({ offerId, quantity, purchaseOrderNumber }, index) => ({
      orderId: orderIds[index] as string,
      quantity,
      purchaseOrderNumber,
      offer: offers.get(offerId) as queries.AwardedOffer,
    })),
  }
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
  const { from, to } = RFQ.verbs.award
  const key = { orgId: rfq.consumerOrgId, id: rfq.id }
  const [awarded] = await queries.awardRfq(tx, key, { from, to, offerIds }, now)
  if (!awarded) throw refuse('illegal_transition', { detail: 'The state of the RFQ has changed.' })
  const ended = await queries.endOffers(tx, rfq.id, offerIds, now)
  await endAskingOf(tx, [rfq.id])
  await emitRfqEvent(tx, 'awarded', rfq)
  await emitOfferEvents(
    tx,
    ended.map((offer) => [EVENT_NAMES[offer.state], offer] as const),
  )
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

export const EVENT_NAMES = { ACCEPTED: 'accepted', EXPIRED: 'expired', REJECTED: 'rejected' } as const

interface Line {
  orderId: string
  quantity: number
  purchaseOrderNumber: string | undefined
  offer: queries.AwardedOffer
}

/** Throws 409 for another state of the RFQ, for unmet guards and for too many orders. Part and factories are locked. */
export async function requireAwardable(
  tx: Tx,
  { rfq, lines, organizations: { sellerOrgId, sellerFeePercent }, fees, fields, now }: AwardPlan,
  verb: 'award' | 'reaward' = 'award',
): Promise<void> {
  const state = stateAt(rfq, now)
  await requireGuards(RFQ, verb, state, {
    guards: GUARDS,
    async facts() {
      const partExists = (await queries.lockPart(tx, rfq.partId)).length > 0
      const ids = lines.map(({ offer }) => offer.factory_id)
      // A sealed RFQ is awarded once it has closed, when its current offers bind.
      const rows = await queries.lockFactories(tx, rfq.consumerOrgId, { ids, areBinding: rfq.sealed ?? false })
      const factories = new Map(rows.map((factory) => [factory.id, factory]))
      return {
        isConcealed: isConcealed(rfq, state),
        isReaward: verb === 'reaward',
        missingQuantity: rfq.missingQuantity ?? 0,
        otherFees: [...new Set(fees.values())].filter(
          (percent) => sellerFeePercent !== undefined && compare(percent, sellerFeePercent) !== 0,
        ),
        withoutAgreement: [...new Set(lines.map(({ offer }) => offer.manufacturer_org_id))].filter(
          (orgId) => sellerOrgId !== undefined && sellerOrgId !== orgId && !fees.has(orgId),
        ),
        largestQuantity: Math.max(...rfq.quantities),
        partExists,
        rfqVersion: rfq.version ?? 1,
        lines: lines.map(({ quantity, offer }) => ({
          quantity,
          offer: {
            state: offer.state,
            validUntil: offer.valid_until,
            priceBreaks: offer.price_breaks,
            isOutdated: offer.outdated,
            rfqVersion: offer.rfq_version,
          },
          factory: factories.get(offer.factory_id),
        })),
        fields,
        now,
      }
    },
    detail: 'The award does not meet all conditions.',
  })
  const [{ count }] = await queries.countOrders(tx, rfq.id)
  if (count + lines.length > MAX_ORDERS) throw refuse('limit_reached', { detail: TOO_MANY_ORDERS })
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
