import { dayOf } from '../../../proto/durations.ts'
import {
  COMPARED,
  type Compared,
  type ComparedOffer,
  MAX_COMPARED,
  type OfferComparison,
} from '../../../proto/http/sourcing/comparison.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { breakFor } from '../awards/pricing.ts'
import { amountOf, compare, multiply, sellerFeeOf, totalOf } from '../money/money.ts'

/** An offer to be compared. Amounts are decimal strings; while the RFQ is sealed and OPEN, there are none. */
export interface PricedOffer {
  id: string
  manufacturerOrgId: string
  manufacturerName: string
  factoryId: string
  state: 'SUBMITTED' | 'ACCEPTED'
  revision: number
  isOutdated: boolean
  priceBreaks: { minQuantity: number; unitPrice: string; leadTimeDays: number }[] | null
  toolingCost: string | null
  shippingCost: string | null
  validUntil: string
}

type Terms = Pick<Rfq, 'id' | 'currency' | 'quantities'>

/** The quantity that is compared where a request names none. Only drafts have no quantity, and they have no offer. */
export const defaultQuantity = ({ quantities }: Pick<Rfq, 'quantities'>) => Math.max(1, ...quantities)

/**
 * Compares offers at a quantity: the lowest landed totals first, offers without a price last, then by id. `fees` has
 * the percentage of the chosen seller for each manufacturer with which it has an agreement.
 */
export function comparisonOf(
  rfq: Terms,
  offers: readonly PricedOffer[],
  quantity: number,
  fees: ReadonlyMap<string, string> = new Map(),
): OfferComparison {
  const all = offers.map((offer) => withFee(priced(offer, quantity, rfq.currency), quantity, fees))
  const compared = withBest(all.sort(byLandedTotal))
  return {
    rfqId: rfq.id,
    quantity,
    currency: rfq.currency,
    offers: compared.slice(0, MAX_COMPARED),
    hasMore: compared.length > MAX_COMPARED,
  }
}

function priced(offer: PricedOffer, quantity: number, currency: Rfq['currency']): ComparedOffer {
  const { id, manufacturerOrgId, manufacturerName, factoryId, state, revision, isOutdated, validUntil } = offer
  const base = {
    ...{ offerId: id, manufacturerOrgId, manufacturerName, factoryId, state, revision },
    ...(isOutdated && { isOutdated: true }),
    ...{ validUntil, best: [] },
  }
  const prices = pricesAt(offer, quantity, currency)
  if ('unpriced' in prices) return { ...base, ...prices }
  return { ...base, goodsTotal: { amount: multiply(prices.unitPrice.amount, quantity), currency }, ...prices }
}

/** The amounts of an offer at a quantity, or why it has no price. */
export function pricesAt(
  { priceBreaks, toolingCost, shippingCost }: Pick<PricedOffer, 'priceBreaks' | 'toolingCost' | 'shippingCost'>,
  quantity: number,
  currency: Rfq['currency'],
) {
  if (priceBreaks === null) return { unpriced: 'SEALED' } as const
  const money = (amount: string) => ({ amount: amountOf(amount), currency })
  const costs = {
    ...(toolingCost !== null && { toolingCost: money(toolingCost) }),
    ...(shippingCost !== null && { shippingCost: money(shippingCost) }),
  }
  const line = breakFor(priceBreaks, quantity)
  if (!line) return { unpriced: 'BELOW_MIN_QUANTITY', ...costs } as const
  const { unitPrice, leadTimeDays } = line
  const landedTotal = money(totalOf({ unitPrice, quantity, toolingCost, shippingCost }))
  return { unitPrice: money(unitPrice), leadTimeDays, ...costs, landedTotal }
}

function withFee(offer: ComparedOffer, quantity: number, fees: ReadonlyMap<string, string>): ComparedOffer {
  const percent = fees.get(offer.manufacturerOrgId)
  if (percent === undefined || !offer.unitPrice) return offer
  const { amount, currency } = offer.unitPrice
  return { ...offer, sellerFee: { amount: sellerFeeOf({ unitPrice: amount, quantity }, percent, currency), currency } }
}

function byLandedTotal(a: ComparedOffer, b: ComparedOffer): number {
  const [one, other] = [a.landedTotal, b.landedTotal]
  const order = one && other ? compare(one.amount, other.amount) : Number(!one) - Number(!other)
  return order || (a.offerId < b.offerId ? -1 : 1)
}

/** Negative if the first value is better. */
const BETTER: { [F in Compared]: (a: Stated<F>, b: Stated<F>) => number } = {
  unitPrice: lower,
  goodsTotal: lower,
  leadTimeDays: (a, b) => a - b,
  toolingCost: lower,
  shippingCost: lower,
  landedTotal: lower,
  // Days, because that is what people see.
  validUntil: (a, b) => Number(dayOf(a) < dayOf(b)) - Number(dayOf(a) > dayOf(b)),
}

type Stated<F extends Compared> = NonNullable<ComparedOffer[F]>

function lower(a: { amount: string }, b: { amount: string }): number {
  return compare(a.amount, b.amount)
}

type Costs = Partial<Record<'toolingCost' | 'shippingCost', unknown>>

/** How many costs an offer does not state that one of the offers does. */
export const unstatedCosts = (offer: Costs, offers: readonly Costs[]): number =>
  (['toolingCost', 'shippingCost'] as const).filter(
    (cost) => offer[cost] === undefined && offers.some((other) => other[cost] !== undefined),
  ).length

/** Marks in each offer the fields in which it is best. Outdated offers and those without a price do not compete. */
function withBest(offers: readonly ComparedOffer[]): ComparedOffer[] {
  const competing = offers.filter(({ unpriced, isOutdated }) => unpriced === undefined && !isOutdated)
  const winners = COMPARED.map((field) => {
    const winner = winnerOf(field, competing)
    // A total without tooling or shipping is not better than one with it.
    const isIncomplete = field === 'landedTotal' && winner !== undefined && unstatedCosts(winner, competing) > 0
    return [field, isIncomplete ? undefined : winner] as const
  })
  return offers.map((offer) => ({
    ...offer,
    best: winners.flatMap(([field, winner]) => (winner === offer ? [field] : [])),
  }))
}

/** The offer that is better than every other one that states a value; undefined for a tie, or where only one does. */
function winnerOf<F extends Compared>(field: F, offers: readonly ComparedOffer[]): ComparedOffer | undefined {
  const stated = offers.flatMap((offer) => {
    const value = offer[field]
    return value === undefined ? [] : [{ offer, value }]
  })
  const [best, next] = stated.toSorted((a, b) => BETTER[field](a.value, b.value))
  return best && next && BETTER[field](best.value, next.value) < 0 ? best.offer : undefined
}

/** Adds the notes of the offers that are shown. */
export const withNotes = (comparison: OfferComparison, notes: ReadonlyMap<string, string>): OfferComparison => ({
  ...comparison,
  offers: comparison.offers.map((offer) => {
    const text = notes.get(offer.offerId)
    return text === undefined ? offer : { ...offer, notes: text }
  }),
})
