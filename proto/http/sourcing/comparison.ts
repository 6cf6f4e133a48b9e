import { type Static, Type } from '@sinclair/typebox'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, Id, Int32, OneOf, Pieces } from '../shapes.ts'
import { currency, Money, Total } from './money.ts'
import { rfqLifecycleTag } from './rfq-lifecycle.ts'
import { rfqId } from './rfqs.ts'

/** Maximum number of offers in a comparison. */
export const MAX_COMPARED = 100

/** The compared fields. The lowest value is the best, except for `validUntil`. */
export const COMPARED = [
  'unitPrice',
  'goodsTotal',
  'leadTimeDays',
  'toolingCost',
  'shippingCost',
  'landedTotal',
  'validUntil',
] as const
export type Compared = (typeof COMPARED)[number]

export const ComparedOffer = closed(
  {
    offerId: Type.String({ description: 'Id of the offer.', examples: ['offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    manufacturerOrgId: Type.String({
      description: 'Organization that makes the offer.',
      examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
    }),
    manufacturerName: Type.String({ description: 'Name of this organization.', examples: ['Vestland Additive'] }),
    factoryId: Type.String({
      description: 'Factory that makes the part.',
      examples: ['factory_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
    state: OneOf(['SUBMITTED', 'ACCEPTED'], { description: 'State of the offer.', examples: ['SUBMITTED'] }),
    revision: Int32('Revision of the offer.', 1, { minimum: 1 }),
    isOutdated: Type.Optional(
      Type.Boolean({
        description:
          'True if the RFQ was amended since: the offer cannot be awarded until it is reconfirmed or revised.',
        examples: [true],
      }),
    ),
    unpriced: Type.Optional(
      OneOf(['SEALED', 'BELOW_MIN_QUANTITY'], {
        description:
          'Present for an offer without a price: the RFQ is sealed and OPEN, or the quantity is below every price break.',
        examples: ['BELOW_MIN_QUANTITY'],
      }),
    ),
    unitPrice: Type.Optional(Money),
    goodsTotal: Type.Optional(Total),
    leadTimeDays: Type.Optional(Int32('Days from the order to the delivery.', 28, { minimum: 0 })),
    toolingCost: Type.Optional(Money),
    shippingCost: Type.Optional(Money),
    notes: Type.Optional(
      Type.String({
        description: 'Notes of the manufacturer. Absent while the prices are sealed.',
        examples: ['The price of the powder is confirmed until 15 June.'],
      }),
    ),
    landedTotal: Type.Optional(Total),
    sellerFee: Type.Optional(Total),
    validUntil: DateTime('Time until which the offer is valid.'),
    best: Type.Array(OneOf(COMPARED, { description: 'Name of a field.', examples: ['unitPrice'] }), {
      description:
        'Fields in which the current offer beats every other current offer that states a value. Ties have no best offer, `validUntil` is compared by day, and a `landedTotal` without shipping does not beat one with shipping.',
      examples: [['unitPrice', 'landedTotal']],
    }),
  },
  {
    description:
      'An offer at the compared quantity. `goodsTotal` is the unit price times the quantity; `landedTotal` adds tooling and shipping. A `toolingCost` or `shippingCost` that the offer does not state is absent, and `landedTotal` is without it; such a total is not the best where another offer states that cost.',
  },
)
export type ComparedOffer = Static<typeof ComparedOffer>

export const OfferComparison = closed({
  rfqId: Type.String({ description: 'Id of the RFQ.', examples: ['rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  quantity: Pieces('Number of pieces that is compared.', 50),
  currency: currency('Currency of all amounts.'),
  offers: Type.Array(ComparedOffer, {
    description: 'At most 100 offers: the lowest landed totals first, offers without a price last.',
  }),
  hasMore: Type.Boolean({ description: 'Whether there are more offers than those compared.', examples: [false] }),
})
export type OfferComparison = Static<typeof OfferComparison>

const comparisonQuery = Type.Object({
  quantity: Type.Optional(Pieces('Number of pieces. Default: the largest quantity of the RFQ.', 50)),
  sellerOrgId: Type.Optional(
    Id(
      'For the consumer: a seller that the award may name. Each offer of a manufacturer with which it has an agreement shows its `sellerFee`, which is paid above the total.',
      'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YF',
    ),
  ),
})

export const getOfferComparison = defineOperation({
  id: 'getOfferComparison',
  method: 'GET',
  path: '/flows/v1/rfqs/{id}/comparison',
  tag: rfqLifecycleTag,
  summary: "Compare an RFQ's offers",
  description:
    'Compares the valid SUBMITTED and the ACCEPTED offers of an RFQ at one quantity. Its consumer and its IP owner can read it. An IP owner that is itself invited sees only its own offers until the RFQ is AWARDED or CANCELLED.',
  access: 'token',
  params: rfqId,
  query: comparisonQuery,
  response: OfferComparison,
})

export const exportOfferComparison = defineOperation({
  id: 'exportOfferComparison',
  method: 'GET',
  path: '/flows/v1/rfqs/{id}/comparison/export',
  tag: rfqLifecycleTag,
  summary: "Export the comparison of an RFQ's offers",
  description:
    'The comparison as a spreadsheet file (CSV, RFC 4180) with one column per offer. A cell that a spreadsheet would read as a formula begins with an apostrophe.',
  access: 'token',
  params: rfqId,
  query: comparisonQuery,
  response: Type.String({ description: 'CSV.' }),
  mediaType: 'text/csv',
})
