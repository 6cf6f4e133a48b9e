import {
  COMPARED,
  type Compared,
  type ComparedOffer,
  MAX_COMPARED,
  type OfferComparison,
} from '../../../proto/http/sourcing/comparison.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { breakFor, totalOf } from '../awards/pricing.ts'
import { amountOf, compare, multiply } from '../money/money.ts'

/** An offer to be compared. Amounts are decimal strings; while the RFQ is sealed and OPEN, there are none. */
export interface PricedOffer {
  id: string
  manufacturerOrgId: string
  manufacturerName: string
  factoryId: string
  state: 'SUBMITTED' | 'ACCEPTED'
  revision: number
  priceBreaks: { minQuantity: number; unitPrice: string; leadTimeDays: number }[] | null
  toolingCost: string | null
  shippingCost: string | null
  validUntil: string
}

type Terms = Pick<Rfq, 'id' | 'currency' | 'quantities'>

/** The quantity that is compared where a request names none. Only drafts have no quantity, and they have no offer. */
export const defaultQuantity = ({ quantities }: Terms) => Math.max(1, ...quantities)

/** Compares offers at a quantity: the lowest landed totals first, offers without a price last, then by id. */
export function comparisonOf(rfq: Terms, offers: readonly PricedOffer[], quantity: number): OfferComparison {
  const compared = withBest(offers.map((offer) => priced(offer, quantity, rfq.currency)).sort(byLandedTotal))
  return {
    rfqId: rfq.id,
    quantity,
    currency: rfq.currency,
    offers: compared.slice(0, MAX_COMPARED),
    hasMore: compared.length > MAX_COMPARED,
  }
}

function priced(offer: PricedOffer, quantity: number, currency: Rfq['currency']): ComparedOffer {
  const { id, priceBreaks, toolingCost, shippingCost, ...shown } = offer
  const base = {
    offerId: id,
    manufacturerOrgId: shown.manufacturerOrgId,
    manufacturerName: shown.manufacturerName,
    factoryId: shown.factoryId,
    state: shown.state,
    revision: shown.revision,
    validUntil: shown.validUntil,
    best: [],
  }
  if (priceBreaks === null) return { ...base, unpriced: 'SEALED' }
  const money = (amount: string) => ({ amount: amountOf(amount), currency })
  const costs = { toolingCost: money(toolingCost ?? '0'), shippingCost: money(shippingCost ?? '0') }
  const line = breakFor(priceBreaks, quantity)
  if (!line) return { ...base, unpriced: 'BELOW_MIN_QUANTITY', ...costs }
  const { unitPrice, leadTimeDays } = line
  return {
    ...base,
    unitPrice: money(unitPrice),
    goodsTotal: money(multiply(unitPrice, quantity)),
    leadTimeDays,
    ...costs,
    landedTotal: money(totalOf({ unitPrice, quantity, toolingCost, shippingCost })),
  }
}

function byLandedTotal(a: ComparedOffer, b: ComparedOffer): number {
  const [one, other] = [a.landedTotal, b.landedTotal]
  const order = one && other ? compare(one.amount, other.amount) : Number(!one) - Number(!other)
  return order || (a.offerId < b.offerId ? -1 : 1)
}

/** Negative if the first offer is better in the field. */
const BETTER: Record<Compared, (a: ComparedOffer, b: ComparedOffer) => number> = {
  unitPrice: (a, b) => lower(a.unitPrice, b.unitPrice),
  goodsTotal: (a, b) => lower(a.goodsTotal, b.goodsTotal),
  leadTimeDays: (a, b) => (a.leadTimeDays ?? 0) - (b.leadTimeDays ?? 0),
  toolingCost: (a, b) => lower(a.toolingCost, b.toolingCost),
  shippingCost: (a, b) => lower(a.shippingCost, b.shippingCost),
  landedTotal: (a, b) => lower(a.landedTotal, b.landedTotal),
  validUntil: (a, b) => Number(a.validUntil < b.validUntil) - Number(a.validUntil > b.validUntil),
}

const lower = (a?: { amount: string }, b?: { amount: string }) => compare(a?.amount ?? '0', b?.amount ?? '0')

/** Marks in each offer the fields in which it is best. Offers without a price do not compete. */
function withBest(offers: readonly ComparedOffer[]): ComparedOffer[] {
  const competing = offers.filter(({ unpriced }) => unpriced === undefined)
  const winners = COMPARED.map((field) => {
    const better = BETTER[field]
    return [
      field,
      competing.reduce<ComparedOffer | undefined>(
        (best, one) => (best && better(best, one) <= 0 ? best : one),
        undefined,
      ),
    ] as const
  })
  return offers.map((offer) => ({
    ...offer,
    best: competing.includes(offer)
      ? winners.flatMap(([field, winner]) => (winner && BETTER[field](winner, offer) === 0 ? [field] : []))
      : [],
  }))
}
