import { type Static, Type } from '@sinclair/typebox'
import { RFQ_STATES } from '../../states/rfqs.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Int32, Line, OneOf, PageOf, pageQuery, pathParam } from '../shapes.ts'
import { currency } from './money.ts'
import { manufacturerIds, Rfq, RfqInput } from './rfqs.ts'

export const packagesTag = defineTag(
  'RFQ packages',
  'Many parts at once: a package has an RFQ for each of its lines, which are published, compared and awarded together.',
)

export const MAX_LINES = 100
/** Invitations of all lines of a new package. */
export const MAX_PACKAGE_INVITATIONS = 1000

const EXAMPLE_ID = 'package_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const title = Line(200, {
  description:
    'Title of the package. Invited manufacturers read it, also before they accept confidentiality terms of a line.',
  examples: ['Pump overhaul, spring 2031'],
})

const { partId } = RfqInput.properties
const quantities = Type.Optional(RfqInput.properties.quantities, false)

const LineInput = closed(
  {
    partId,
    quantities: Type.Optional(quantities),
    manufacturerIds: Type.Optional({
      ...manufacturerIds,
      description: 'Organizations that are invited to this line, instead of those of the package.',
    }),
  },
  { description: 'A part to be quoted.' },
)

/** The terms of an RFQ that all lines of a new package have. */
const CommonTerms = Type.Omit(RfqInput, ['partId', 'quantities', 'manufacturerIds'])

export const RfqPackageInput = Type.Composite(
  [
    closed({
      title,
      lines: Type.Array(LineInput, {
        minItems: 1,
        maxItems: MAX_LINES,
        description: `The parts, each once, with at most ${MAX_PACKAGE_INVITATIONS} invitations of all lines together.`,
        examples: [[{ partId: 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', quantities: [10, 50] }]],
      }),
      manufacturerIds: Type.Optional({
        ...manufacturerIds,
        description: 'Organizations that are invited to each line without `manufacturerIds` of its own.',
      }),
    }),
    CommonTerms,
  ],
  { additionalProperties: false, description: 'The other fields are terms of every line.' },
)
export type RfqPackageInput = Static<typeof RfqPackageInput>

export const RfqPackageLine = closed(
  {
    rfqId: Type.String({ description: 'RFQ of the line.', examples: ['rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    serialNumber: Type.String({ description: 'Serial number of the RFQ.', examples: ['R-7K2M9QXA'] }),
    state: OneOf(RFQ_STATES, { description: 'State of the RFQ.', examples: ['OPEN'] }),
    partId: Type.String({ description: 'Its part.', examples: ['part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    partTitle: Type.Optional(Type.String({ description: 'Title of the part.', examples: ['Impeller'] })),
    quantities: { ...quantities, description: 'Quantities to be quoted.' },
    manufacturerIds: {
      ...manufacturerIds,
      description: 'Invited organizations. A manufacturer sees only itself.',
    },
    expireTime: DateTime('Time at which the RFQ closes.', { examples: ['2031-05-29T12:00:00.000Z'] }),
    sealed: Type.Boolean({ description: 'Whether prices stay hidden until the RFQ closes.', examples: [false] }),
    version: Type.Optional({ ...Rfq.properties.version, description: 'Version of the RFQ, from its publication on.' }),
    invitationState: Type.Optional(
      OneOf(['INVITED', 'READ', 'DECLINED', 'OFFERED'], {
        description: 'State of your invitation. Only for an invited manufacturer.',
        examples: ['READ'],
      }),
    ),
    awaitsAcceptance: Type.Optional(
      Type.Boolean({
        description: 'True for an invited manufacturer until it accepts the confidentiality terms of the RFQ.',
        examples: [true],
      }),
    ),
  },
  { description: 'A line as its reader sees the RFQ.' },
)
export type RfqPackageLine = Static<typeof RfqPackageLine>

const head = {
  id: Type.String({ description: 'Id of the package.', examples: [EXAMPLE_ID] }),
  title,
  consumerOrgId: Type.String({
    description: 'Organization that asks for offers.',
    examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
  }),
  currency: currency('Currency of all offers.'),
}
const times = {
  createdTime: DateTime('Time of creation.'),
  updatedTime: DateTime('Time of the last change of the title.'),
}

export const RfqPackage = closed(
  {
    ...head,
    lines: Type.Array(RfqPackageLine, {
      maxItems: MAX_LINES,
      description: 'In the order of the request. A manufacturer sees the lines to which it is invited.',
    }),
    ...times,
  },
  { description: 'RFQs for many parts, one for each line.' },
)
export type RfqPackage = Static<typeof RfqPackage>

const count = (state: string) => Type.Optional(Int32(`Lines in ${state}.`, 4, { minimum: 1 }))

export const ListedRfqPackage = closed(
  {
    ...head,
    lineCount: Int32('Number of lines that you can read.', 4, { minimum: 0 }),
    lineStates: closed(
      {
        DRAFT: count('DRAFT'),
        OPEN: count('OPEN'),
        CLOSED: count('CLOSED'),
        AWARDED: count('AWARDED'),
        CANCELLED: count('CANCELLED'),
      },
      { description: 'How many of them are in which state.', examples: [{ OPEN: 3, AWARDED: 1 }] },
    ),
    ...times,
  },
  { description: 'A package in a list.' },
)
export type ListedRfqPackage = Static<typeof ListedRfqPackage>

export const packageId = pathParam('id', 'Id of the package.', EXAMPLE_ID)
export const path = '/flows/v1/rfq-packages'

const PACKAGE_VIEWS = ['CONSUMER', 'MANUFACTURER'] as const

export const listRfqPackages = defineOperation({
  id: 'listRfqPackages',
  method: 'GET',
  path,
  tag: packagesTag,
  summary: 'List RFQ packages',
  description:
    'Newest first: packages of your organization, or those with a published line to which it is invited, whichever the view says.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    view: OneOf(PACKAGE_VIEWS, {
      default: 'CONSUMER',
      description: 'Role of your organization.',
      examples: ['MANUFACTURER'],
    }),
  }),
  response: PageOf(ListedRfqPackage),
})

export const getRfqPackage = defineOperation({
  id: 'getRfqPackage',
  method: 'GET',
  path: `${path}/{id}`,
  tag: packagesTag,
  summary: 'Get an RFQ package',
  description:
    'The consumer can read it, and from the publication of one of its lines on, so can the manufacturers that are invited to it. Otherwise not found. A manufacturer sees only its own lines.',
  access: 'token',
  params: packageId,
  response: RfqPackage,
  etag: true,
})
