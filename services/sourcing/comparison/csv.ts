import {
  COMPARED,
  type Compared,
  type ComparedOffer,
  type OfferComparison,
} from '../../../proto/http/sourcing/comparison.ts'
import { csvOf } from '../../kit/csv/write.ts'

const TITLES: Record<Compared, string> = {
  unitPrice: 'Unit price',
  goodsTotal: 'Total of goods',
  leadTimeDays: 'Lead time (days)',
  toolingCost: 'Tooling',
  shippingCost: 'Shipping',
  landedTotal: 'Landed total',
  validUntil: 'Valid until',
}

/** RFC 4180: a column for each offer, a row for each compared field, and the best offers in the last column. */
export function comparisonFile({ offers, currency, quantity, hasMore }: OfferComparison): string {
  const facts: [string, (offer: ComparedOffer) => string | number][] = [
    ['Offer', ({ offerId }) => offerId],
    ['Manufacturer', ({ manufacturerName }) => manufacturerName],
    ['Factory', ({ factoryId }) => factoryId],
    ['State', ({ state, isOutdated }) => (isOutdated ? `${state}, outdated` : state)],
    ['Revision', ({ revision }) => revision],
    ['Quantity', () => quantity],
    ['Currency', () => currency],
  ]
  const rows = [
    ...facts.map(([title, factOf], index) => [title, ...offers.map(factOf), index === 0 ? 'Best' : '']),
    ...COMPARED.map((field) => [
      TITLES[field],
      ...offers.map((offer) => cellOf(offer, field)),
      offers.flatMap(({ best, offerId }) => (best.includes(field) ? [offerId] : [])).join(' '),
    ]),
    ...(offers.some(({ sellerFee }) => sellerFee)
      ? [['Seller fee', ...offers.map(({ sellerFee }) => sellerFee?.amount ?? 'no agreement'), '']]
      : []),
    ['Notes', ...offers.map(({ notes }) => notes ?? ''), ''],
    ...(hasMore ? [['More offers exist than are compared', ...offers.map(() => ''), '']] : []),
  ]
  return csvOf(rows)
}

export const UNPRICED = { SEALED: 'sealed', BELOW_MIN_QUANTITY: 'no price for this quantity' }

function cellOf(offer: ComparedOffer, field: Compared): string | number {
  const value = offer[field]
  if (value === undefined) return offer.unpriced ? UNPRICED[offer.unpriced] : 'not stated'
  return typeof value === 'object' ? value.amount : value
}
