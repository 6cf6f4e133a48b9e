import { type Static, Type } from '@sinclair/typebox'
import { OFFER_STATES } from '../../states/offers.ts'
import { defineOperation, defineTag } from '../operation.ts'
import {
  closed,
  DateTime,
  Id,
  Int32,
  Line,
  OneOf,
  PageOf,
  Pieces,
  pageQuery,
  patchOf,
  pathParam,
  Text,
} from '../shapes.ts'
import { Money } from './money.ts'
import { pictureField } from './previews.ts'
import { paymentTerms } from './rfqs.ts'

const offersTag = defineTag('Offers', "Manufacturers' offers for RFQs, with prices by quantity.")

/** Maximum number of offers of an organization for one RFQ: in DRAFT or SUBMITTED, and in every state. */
export const MAX_LIVE_OFFERS = 20
export const MAX_OFFERS = 200

const EXAMPLE_ID = 'offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_RFQ = 'rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_PART = 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const PriceBreak = closed(
  {
    minQuantity: Pieces('Number of pieces from which the price applies.', 10),
    unitPrice: Money,
    leadTimeDays: Int32('Days from the order to the delivery.', 28, { minimum: 0, maximum: 3650 }),
  },
  { description: 'A price per piece that applies from a given quantity, in the currency of the RFQ.' },
)
export type PriceBreak = Static<typeof PriceBreak>

const rfq = { rfqId: Id('RFQ to which your organization is invited.', EXAMPLE_RFQ) }

const factory = {
  factoryId: Id('Factory of your organization that makes the part.', 'factory_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
}

const prices = {
  priceBreaks: Type.Array(PriceBreak, {
    minItems: 1,
    maxItems: 20,
    description: 'Prices by quantity, each with a different minimum quantity. They are stored in ascending order.',
    examples: [
      [
        { minQuantity: 1, unitPrice: { amount: '120.00', currency: 'EUR' }, leadTimeDays: 21 },
        { minQuantity: 10, unitPrice: { amount: '95.50', currency: 'EUR' }, leadTimeDays: 28 },
      ],
    ],
  }),
}

const validity = {
  validUntil: DateTime('Time until which the offer is valid.', { examples: ['2031-06-29T12:00:00.000Z'] }),
}

const optionalTerms = {
  toolingCost: Money,
  shippingCost: Money,
  reference: Line(100, { description: "The manufacturer's own number of the offer.", examples: ['Q-2031-118'] }),
  paymentTerms: paymentTerms('Payment terms. Default: those of the RFQ.'),
  notes: Text(10_000, {
    description: 'Notes for the consumer.',
    examples: ['Heat treatment is included.'],
  }),
}

const required = { ...factory, ...prices, ...validity }

export const OfferInput = Type.Composite([closed(rfq), closed(required), Type.Partial(closed(optionalTerms))], {
  additionalProperties: false,
  description: 'Tooling and shipping are paid once per order. All amounts are in the currency of the RFQ.',
})
export type OfferInput = Static<typeof OfferInput>

export const OfferPatch = patchOf(Type.Omit(OfferInput, ['rfqId']), {
  description: 'Changes the fields that are sent; null clears an optional field. Price breaks are replaced completely.',
  examples: [{ toolingCost: null, notes: 'Heat treatment is included.' }],
})
export type OfferPatch = Static<typeof OfferPatch>

export const Offer = Type.Composite(
  [
    closed({ id: Type.String({ description: 'Id of the offer.', examples: [EXAMPLE_ID] }) }),
    closed(rfq),
    closed({
      partId: Type.String({ description: 'Part of the RFQ.', examples: [EXAMPLE_PART] }),
      manufacturerOrgId: Type.String({
        description: 'Organization that makes the offer.',
        examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
      }),
    }),
    closed(factory),
    closed({ state: OneOf(OFFER_STATES, { description: 'State of the offer.', examples: ['SUBMITTED'] }) }),
    Type.Partial(closed(prices)),
    Type.Partial(closed(optionalTerms)),
    closed(validity),
    closed({
      partRevision: Type.Optional(
        Int32('Revision of the part for which the offer was submitted or reconfirmed.', 3, { minimum: 1 }),
      ),
      rfqVersion: Type.Optional(
        Int32('Version of the RFQ for which the offer was submitted or reconfirmed.', 1, { minimum: 1 }),
      ),
      reinstatementAskedTime: Type.Optional(
        DateTime('Of a REJECTED offer that lost against others: since when `reinstate` may make it SUBMITTED again.'),
      ),
      isOutdated: Type.Optional(
        Type.Boolean({
          description:
            'True for a SUBMITTED offer whose RFQ was amended since. It cannot be awarded until it is reconfirmed or revised.',
          examples: [true],
        }),
      ),
      revision: Int32('1 for a new offer; each revision of it has the next number.', 1, { minimum: 1 }),
      ...pictureField,
      createdTime: DateTime('Time of creation.'),
      submittedTime: Type.Optional(DateTime('Time of the submission.')),
      reason: Type.Optional(
        Type.String({
          description: 'Why the consumer rejected it, or the manufacturer withdrew it.',
          examples: ['The lead time is too long.'],
        }),
      ),
    }),
  ],
  {
    additionalProperties: false,
    description:
      'While the RFQ is sealed and OPEN, its consumer and IP owner see an offer without `priceBreaks`, `toolingCost`, `shippingCost`, `reference`, `paymentTerms`, `notes` and `reason`. An offer that its manufacturer withdrew or revised before the RFQ closed stays without them.',
  },
)
export type Offer = Static<typeof Offer>

export const offerId = pathParam('id', 'Id of the offer.', EXAMPLE_ID)

export const OFFER_VIEWS = ['CONSUMER', 'IP_OWNER', 'MANUFACTURER'] as const
export type OfferView = (typeof OFFER_VIEWS)[number]

export const listOffers = defineOperation({
  id: 'listOffers',
  method: 'GET',
  path: '/v1/offers',
  tag: offersTag,
  summary: 'List offers',
  description:
    'Newest first: offers of your organization, and submitted ones for RFQs in which it is the consumer or the IP owner of the part. An IP owner that is itself invited sees other offers once the RFQ is AWARDED or CANCELLED.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    view: Type.Optional(
      OneOf(OFFER_VIEWS, { description: 'Role of your organization. Default: every role.', examples: ['CONSUMER'] }),
    ),
    rfqId: Type.Optional(Type.String({ description: 'Id of the RFQ.', examples: [EXAMPLE_RFQ] })),
    partId: Type.Optional(Type.String({ description: 'Id of the part.', examples: [EXAMPLE_PART] })),
    state: Type.Optional(OneOf(OFFER_STATES, { description: 'State of the offer.', examples: ['SUBMITTED'] })),
    activated: Type.Optional(
      Type.Boolean({
        description: 'true: offers in state ACCEPTED; false: offers in every other state. Use `state` instead.',
        examples: [true],
        deprecated: true,
      }),
    ),
  }),
  response: PageOf(Offer),
  deprecatedQuery: { activated: '2026-11-22' },
})

export const getOffer = defineOperation({
  id: 'getOffer',
  method: 'GET',
  path: '/v1/offers/{id}',
  tag: offersTag,
  summary: 'Get an offer',
  description:
    'The manufacturer can read it, and once it is submitted, so can the consumer and the IP owner of the RFQ. An IP owner that is itself invited can read it once the RFQ is AWARDED or CANCELLED. Otherwise not found.',
  access: 'token',
  params: offerId,
  response: Offer,
  etag: true,
})
