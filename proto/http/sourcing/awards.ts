import { type Static, Type } from '@sinclair/typebox'
import { OFFER } from '../../states/offers.ts'
import { RFQ } from '../../states/rfqs.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Id, Line, Pieces, Text } from '../shapes.ts'
import { FEE_PERCENT } from './fee-percent.ts'
import { Offer, offerId } from './offers.ts'
import { Order } from './orders.ts'
import { Rfq, rfqId } from './rfqs.ts'

const awardsTag = defineTag('Awards', 'Ending an RFQ with orders: offers are accepted, and each becomes an order.')

export const MAX_AWARDS = 100
/** Orders of one RFQ, with those that were declined or cancelled. */
export const MAX_ORDERS = 300

export const quantity = Pieces('Number of pieces to order.', 10)

export const sellerOrgId = Type.Optional(
  Id(
    'Organization with the role SELLER that sells the parts. Default: the manufacturer.',
    'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YF',
  ),
)

export const sellerFeePercent = Type.Optional(
  Text(6, {
    ...FEE_PERCENT,
    description:
      'With `sellerOrgId`: the fee that you expect, as a percentage. The award is refused if an agreement has another one. Default: the fee of the agreements.',
    examples: ['2.50'],
  }),
)

export const purchaseOrderNumber = Type.Optional(
  Line(100, { minLength: 1, description: "The consumer's own number of the order.", examples: ['4500118'] }),
)

export const orders = Type.Array(Order, { description: 'The orders that were placed: one for each awarded offer.' })

export const AwardedRfq = closed({ ...Rfq.properties, orders }, { description: 'The RFQ, with its orders.' })
export type AwardedRfq = Static<typeof AwardedRfq>

export const AcceptedOffer = closed({ ...Offer.properties, orders }, { description: 'The offer, with its order.' })
export type AcceptedOffer = Static<typeof AcceptedOffer>

const AwardInput = closed({
  awards: Type.Array(
    closed({
      offerId: Id('Submitted offer for the RFQ.', 'offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
      quantity,
      purchaseOrderNumber,
    }),
    {
      minItems: 1,
      maxItems: MAX_AWARDS,
      description: 'Offers to be accepted, each once.',
      examples: [[{ offerId: 'offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', quantity: 10 }]],
    },
  ),
  sellerOrgId,
  sellerFeePercent,
})

const EFFECTS =
  'In one transaction the offers become ACCEPTED, the other submitted offers REJECTED and the RFQ AWARDED, and each awarded offer becomes an order. The unit price comes from the price break with the highest minimum quantity not above the quantity; the total adds tooling and shipping.'

export const awardRfq = defineOperation({
  id: 'awardRfq',
  method: 'POST',
  path: '/flows/v1/rfqs/{id}/award',
  tag: awardsTag,
  summary: 'Award an RFQ',
  description: `${RFQ.sentence('award')} A sealed RFQ must be CLOSED. The total of the quantities is at most the largest quantity of the RFQ. ${EFFECTS}`,
  transition: RFQ.verbs.award,
  access: 'rfq:award',
  params: rfqId,
  body: AwardInput,
  response: AwardedRfq,
  refusals: ['illegal_transition', 'limit_reached'],
  audit: { procedure: 'rfq.award', request: ['id', 'awards', 'sellerOrgId', 'sellerFeePercent', 'orderIds'] },
})

export const reawardRfq = defineOperation({
  id: 'reawardRfq',
  method: 'POST',
  path: '/flows/v1/rfqs/{id}/reaward',
  tag: awardsTag,
  summary: 'Place missing pieces of an awarded RFQ',
  description: `${RFQ.sentence('reaward')} Places the pieces of declined and cancelled orders (\`missingQuantity\`) with reinstated offers, and with offers of the award. Once nothing is missing, the other submitted offers become REJECTED.`,
  transition: RFQ.verbs.reaward,
  access: 'rfq:award',
  params: rfqId,
  body: AwardInput,
  response: AwardedRfq,
  refusals: ['illegal_transition', 'limit_reached'],
  audit: { procedure: 'rfq.reaward', request: ['id', 'awards', 'sellerOrgId', 'sellerFeePercent', 'orderIds'] },
})

export const acceptOffer = defineOperation({
  id: 'acceptOffer',
  method: 'POST',
  path: '/flows/v1/offers/{id}/accept',
  tag: awardsTag,
  summary: 'Accept an offer',
  description: `${OFFER.sentence('accept')} Awards the RFQ to this offer only. ${EFFECTS}`,
  transition: OFFER.verbs.accept,
  access: 'offer:accept',
  params: offerId,
  body: closed({ quantity, sellerOrgId, sellerFeePercent, purchaseOrderNumber }),
  response: AcceptedOffer,
  refusals: ['illegal_transition', 'limit_reached'],
  audit: {
    procedure: 'offer.accept',
    request: ['id', 'quantity', 'sellerOrgId', 'sellerFeePercent', 'purchaseOrderNumber', 'orderIds'],
  },
})
