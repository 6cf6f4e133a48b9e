import { type Static, Type } from '@sinclair/typebox'
import { RFQ_STATES } from '../../states/rfqs.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import {
  closed,
  DateTime,
  Day,
  FORM,
  Id,
  Ids,
  Int32,
  Line,
  OneOf,
  PageOf,
  Pieces,
  pageQuery,
  patchOf,
  pathParam,
  Search,
  Text,
} from '../shapes.ts'
import { Delivery, SharedDelivery } from './delivery.ts'
import { DOCUMENT_KINDS, DocumentKind } from './document-kinds.ts'
import { HistoryEntry } from './history.ts'
import { currency } from './money.ts'
import { pictureField } from './previews.ts'

const rfqsTag = defineTag('RFQs', 'Requests for quotation: a consumer asks invited manufacturers to quote for a part.')

export const INCOTERMS_2020 = ['EXW', 'FCA', 'CPT', 'CIP', 'DAP', 'DPU', 'DDP', 'FAS', 'FOB', 'CFR', 'CIF'] as const

export const MAX_INVITEES = 100

/** Upper bound of the amendments that make a new version. */
export const MAX_AMENDMENTS = 100

const EXAMPLE_ID = 'rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_PART = 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_ORG = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'
const EXAMPLE_EXPIRY = '2031-05-29T12:00:00.000Z'

export const manufacturerIds = Ids('a manufacturer', EXAMPLE_ORG, {
  maxItems: MAX_INVITEES,
  description: 'Organizations with the role MANUFACTURER; duplicates are removed.',
})

export const expireTime = (description: string) => DateTime(description, { examples: [EXAMPLE_EXPIRY] })

const terms = {
  partId: Id(
    'Part to be quoted: one of your own, a published part that is not internal, or an internal one with a subscription to it by name. A part with `requireSubscription` needs a subscription.',
    EXAMPLE_PART,
  ),
  expireTime: expireTime('Time at which the RFQ closes.'),
  currency: currency('Currency of all offers: an ISO 4217 code.'),
  deliveryRegionCode: Text(2, {
    minLength: 2,
    pattern: '^[A-Z]{2}$',
    [FORM]: 'two capital letters, such as DK',
    description: 'Country of delivery: an ISO 3166-1 alpha-2 code.',
    examples: ['DK'],
  }),
}

const lists = {
  quantities: Type.Array(Pieces('A number of pieces.', 10), {
    maxItems: 20,
    description: 'Quantities to be quoted; duplicates are removed.',
    examples: [[10, 50]],
  }),
  manufacturerIds,
}

export const paymentTerms = (description: string) => Line(200, { description, examples: ['30 days net'] })

const optionalTerms = {
  requestedDeliveryDate: Day(
    'Day on which the parts are wanted at the place of delivery. A draft may have any day; publication and amendment refuse one before the day (UTC) of the expiry.',
    '2031-09-01',
  ),
  paymentTerms: paymentTerms('Payment terms that the consumer proposes. Those of an offer take their place.'),
  delivery: Delivery,
  requiredDocuments: Type.Array(DocumentKind, {
    maxItems: DOCUMENT_KINDS.length,
    description: 'Kinds of documents that each shipment needs; duplicates are removed.',
    examples: [['MATERIAL_CERTIFICATE']],
  }),
  confidentialityTerms: Text(10_000, {
    minLength: 1,
    description: 'Terms that an invited manufacturer must accept before it can read more than the outline.',
    examples: ['The drawing is confidential and may not be passed on.'],
  }),
  incoterm: OneOf(INCOTERMS_2020, { description: 'Delivery term of Incoterms 2020.', examples: ['DAP'] }),
  requirements: Text(10_000, {
    description: 'Requirements in addition to those of the part.',
    examples: ['First article inspection of one piece.'],
  }),
}

const sealed = Type.Boolean({
  description: 'Whether prices of offers stay hidden until the RFQ closes. Default false.',
  examples: [true],
})

const releaseFiles = Type.Boolean({
  description:
    'Whether the publication releases the files of the group `ip` to invited manufacturers that accept the confidentiality terms. Only for an own part. Default false.',
  examples: [true],
})

export const RfqInput = Type.Composite(
  [closed(terms), Type.Partial(closed({ ...lists, ...optionalTerms, sealed, releaseFiles }))],
  { additionalProperties: false },
)
export type RfqInput = Static<typeof RfqInput>

export const RfqPatch = patchOf(RfqInput, {
  description: 'Changes the fields that are sent; null clears an optional field. Lists are replaced completely.',
  examples: [{ quantities: [10, 25], requirements: null }],
})
export type RfqPatch = Static<typeof RfqPatch>

export const RfqInvitation = closed({
  manufacturerOrgId: Type.String({
    description: 'Invited organization.',
    examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
  }),
  state: OneOf(['INVITED', 'READ', 'DECLINED', 'OFFERED'], {
    description: 'READ once the manufacturer has read the RFQ; OFFERED once it has submitted an offer.',
    examples: ['DECLINED'],
  }),
  reason: Type.Optional(Type.String({ description: 'Reason of a decline.', examples: ['No free capacity.'] })),
  invitedTime: DateTime('Time of the invitation.'),
  readTime: Type.Optional(DateTime('Time of the first read.')),
  declinedTime: Type.Optional(DateTime('Time of the decline.')),
  offeredTime: Type.Optional(DateTime('Time of the first submitted offer.')),
})
export type RfqInvitation = Static<typeof RfqInvitation>

export const Rfq = Type.Composite(
  [
    closed({
      id: Type.String({ description: 'Id of the RFQ.', examples: [EXAMPLE_ID] }),
      serialNumber: Type.String({
        description: '`R-` and eight Crockford characters, unique on the platform.',
        examples: ['R-7K2M9QXA'],
      }),
      consumerOrgId: Type.String({
        description: 'Organization that asks for offers.',
        examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
      ipOwnerOrgId: Type.String({ description: 'IP owner of the part.', examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YD'] }),
      state: OneOf(RFQ_STATES, { description: 'State of the RFQ.', examples: ['OPEN'] }),
    }),
    closed(terms),
    closed(lists),
    Type.Partial(
      closed({
        ...optionalTerms,
        delivery: SharedDelivery,
        releaseFiles,
      }),
    ),
    closed({
      partRevision: Type.Optional(
        Int32('Revision of the part that was pinned by the publication or by an amendment.', 3, { minimum: 1 }),
      ),
      version: Type.Optional(
        Int32('1 from the publication; each amendment of more than the expiry has the next number.', 1, { minimum: 1 }),
      ),
      packageId: Type.Optional(
        Type.String({
          description: 'Package that contains the RFQ as a line. Only for the consumer and invited manufacturers.',
          examples: ['package_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
        }),
      ),
      amendmentReason: Type.Optional(
        Type.String({ description: 'Reason of the last amendment.', examples: ['The hub was moved by 2 mm.'] }),
      ),
      partChanged: Type.Optional(
        Type.Boolean({
          description:
            'True while the RFQ is OPEN and content or files of the part have changed since the pinned revision. For consumer and IP owner.',
          examples: [true],
        }),
      ),
      missingQuantity: Type.Optional(
        Int32(
          'Pieces of declined and cancelled orders of an AWARDED RFQ, which `reaward` places again; only for the consumer.',
          10,
          { minimum: 1 },
        ),
      ),
      unansweredQuestions: Type.Optional(
        Int32('Number of questions that wait for an answer. For the consumer.', 2, { minimum: 0 }),
      ),
      sealed,
      awardedOfferIds: Type.Array(
        Type.String({ description: 'Id of an offer.', examples: ['offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
        { description: 'Offers that were awarded. A manufacturer sees its own.', examples: [[]] },
      ),
      reason: Type.Optional(
        Type.String({ description: 'Why the consumer cancelled it.', examples: ['The ship was sold.'] }),
      ),
      createdTime: DateTime('Time of creation.'),
      updatedTime: DateTime('Time of the last change.'),
      ...pictureField,
      // Your organization's own invitation, where it is invited as a manufacturer.
      invitation: Type.Optional(RfqInvitation),
    }),
  ],
  {
    additionalProperties: false,
    description:
      'A manufacturer sees only itself in `manufacturerIds`. Before it accepts `confidentialityTerms`, it sees no other optional field but its `invitation`.',
  },
)
export type Rfq = Static<typeof Rfq>

export const rfqId = pathParam('id', 'Id of the RFQ.', EXAMPLE_ID)

export const RFQ_VIEWS = ['CONSUMER', 'IP_OWNER', 'MANUFACTURER'] as const
export type RfqView = (typeof RFQ_VIEWS)[number]

export const listRfqs = defineOperation({
  id: 'listRfqs',
  method: 'GET',
  path: '/v1/rfqs',
  tag: rfqsTag,
  summary: 'List RFQs',
  description:
    'Newest first: RFQs in which your organization is the consumer, and published ones in which it is the IP owner of the part or an invited manufacturer.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    view: Type.Optional(
      OneOf(RFQ_VIEWS, {
        description: 'Role of your organization. Default: every role.',
        examples: ['CONSUMER'],
      }),
    ),
    state: Type.Optional(OneOf(RFQ_STATES, { description: 'State of the RFQ.', examples: ['OPEN'] })),
    q: Type.Optional(
      Search(
        'Case-insensitive: substring of the title of the part, or exact serial number of the RFQ or of the part.',
        'impeller',
      ),
    ),
    partId: Type.Optional(Type.String({ description: 'Id of the part.', examples: [EXAMPLE_PART] })),
    excludeDrafts: Type.Optional(Type.Boolean({ description: 'Omits RFQs in state DRAFT.', examples: [true] })),
    excludeExpired: Type.Optional(
      Type.Boolean({ description: 'Omits RFQs whose expiry time has passed.', examples: [true] }),
    ),
  }),
  response: PageOf(Rfq),
})

export const getRfq = defineOperation({
  id: 'getRfq',
  method: 'GET',
  path: '/v1/rfqs/{id}',
  tag: rfqsTag,
  summary: 'Get an RFQ',
  description:
    'The consumer can read it, and once it is published, so can the IP owner of the part and each invited manufacturer. Otherwise not found. The first read by an invited manufacturer is recorded.',
  access: 'token',
  params: rfqId,
  response: Rfq,
  etag: true,
})

export const listRfqHistory = defineOperation({
  ...listOf(HistoryEntry),
  id: 'listRfqHistory',
  path: '/v1/rfqs/{id}/history',
  tag: rfqsTag,
  summary: "List an RFQ's history",
  description:
    'Newest first, for every organization that can read the RFQ. For everyone but the consumer it begins at publication, as a creation with the published content. A manufacturer sees only itself in `manufacturerIds`. A deleted RFQ has no readable history.',
  access: 'token',
  params: rfqId,
  beta: true,
})
