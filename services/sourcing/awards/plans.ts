import type { FieldError } from '../../../proto/errors.ts'
import { MAX_ORDERS } from '../../../proto/http/sourcing/awards.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newSeparateIdAt } from '../../kit/db/ids.ts'
import { refuse, requireValid } from '../../kit/errors/refusal.ts'
import { compare } from '../money/money.ts'
import { lockOwn } from '../rfqs/legality.ts'
import { stateAt } from '../rfqs/rules.ts'
import { lockFees } from '../sales-agreements/queries.ts'
import * as queries from './queries.ts'
import {
  type Award,
  type FieldNames,
  GUARDS,
  isConcealed,
  referenceProblems,
  TOO_MANY_ORDERS,
  unknownSeller,
} from './rules.ts'

/** An offer of an award with its pieces and the id of its order. */
export interface Line {
  orderId: string
  quantity: number
  purchaseOrderNumber: string | undefined
  offer: queries.AwardedOffer
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

export interface AwardRequest {
  orgId: string
  rfqId: string
  awards: readonly Award[]
  sellerOrgId?: string | undefined
  sellerFeePercent?: string | undefined
  fields: FieldNames
  now: string
}

/** Locks an own RFQ, then its offers, so that submissions, withdrawals and other awards come before or after. */
export async function lockAwardable(tx: Tx, verb: 'award' | 'reaward', request: AwardRequest): Promise<AwardPlan> {
  const { orgId, rfqId, awards, fields, now } = request
  const { rfq } = await lockOwn(tx, orgId, rfqId)
  const organizations = await findSeller(tx, orgId, request)
  const plan = await planAward(tx, { rfq, awards, organizations, fields, now })
  requireValid([...plan.problems, ...organizations.problems])
  await requireAwardable(tx, plan, verb)
  return plan
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
      // The current offers for a sealed RFQ bind once it has closed, which precedes every award.
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
