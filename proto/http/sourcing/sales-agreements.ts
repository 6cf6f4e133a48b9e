import { type Static, Type } from '@sinclair/typebox'
import { SALES_AGREEMENT, SALES_AGREEMENT_STATES } from '../../states/sales-agreements.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Id, ItemsOf, OneOf, PageOf, pageQuery, pathParam, Text } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { FEE_PERCENT } from './fee-percent.ts'
import { rfqId } from './rfqs.ts'

const agreementsTag = defineTag(
  'Sales agreements',
  'The consent of a manufacturer and a seller that the seller sells what the manufacturer makes, for a fee.',
)

/** Live agreements that one organization has proposed. */
export const MAX_AGREEMENTS = 1000
/** Agreements that one organization proposes to another one in a time. */
export const MAX_REPETITIONS = 20
export const REPETITION_DAYS = 30
/** Sellers in the list of an RFQ. */
export const MAX_SELLERS = 100

const EXAMPLE_ID = 'agreement_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_MANUFACTURER = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'
const EXAMPLE_SELLER = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YF'

const manufacturerOrgId = Id('Organization that makes the parts.', EXAMPLE_MANUFACTURER)
const sellerOrgId = Id('Organization that sells them.', EXAMPLE_SELLER)

const feePercent = Text(6, {
  ...FEE_PERCENT,
  description: 'Fee of the seller, as a percentage of quantity × unit price.',
  examples: ['2.50'],
})

export const SalesAgreementInput = closed({ manufacturerOrgId, sellerOrgId, feePercent })
export type SalesAgreementInput = Static<typeof SalesAgreementInput>

export const SalesAgreement = closed({
  id: Type.String({ description: 'Id of the agreement.', examples: [EXAMPLE_ID] }),
  manufacturerOrgId,
  sellerOrgId,
  feePercent,
  state: OneOf(SALES_AGREEMENT_STATES, { description: 'State of the agreement.', examples: ['ACTIVE'] }),
  proposedByOrgId: Type.String({
    description: 'Organization that proposed it; the other one accepts.',
    examples: [EXAMPLE_MANUFACTURER],
  }),
  createdTime: DateTime('Time of the proposal.'),
  updatedTime: DateTime('Time of the last change.'),
})
export type SalesAgreement = Static<typeof SalesAgreement>

const agreementId = pathParam('id', 'Id of the agreement.', EXAMPLE_ID)
const path = '/flows/v1/sales-agreements'
// Both apply only to organizations with the role.
const access = ['app:manufacturer', 'app:seller'] as const
const PERMISSIONS = 'The manufacturer also needs `order:confirm`.'

export const listSalesAgreements = defineOperation({
  id: 'listSalesAgreements',
  method: 'GET',
  path,
  tag: agreementsTag,
  summary: 'List sales agreements',
  description: 'Newest first: the agreements in which your organization is the manufacturer or the seller.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    state: Type.Optional(
      OneOf(SALES_AGREEMENT_STATES, { description: 'State of the agreement.', examples: ['ACTIVE'] }),
    ),
  }),
  response: PageOf(SalesAgreement),
})

export const getSalesAgreement = defineOperation({
  id: 'getSalesAgreement',
  method: 'GET',
  path: `${path}/{id}`,
  tag: agreementsTag,
  summary: 'Get a sales agreement',
  description: 'For its manufacturer and its seller. Otherwise not found.',
  access: 'token',
  params: agreementId,
  response: SalesAgreement,
  etag: true,
})

export const createSalesAgreement = defineOperation({
  id: 'createSalesAgreement',
  method: 'POST',
  path,
  tag: agreementsTag,
  summary: 'Propose a sales agreement',
  description: `By the manufacturer or the seller of the agreement; the other one accepts it. ${PERMISSIONS} There is one live agreement of two organizations (409). An organization has at most ${MAX_AGREEMENTS} live ones that it proposed, and proposes one to the same organization at most ${MAX_REPETITIONS} times in ${REPETITION_DAYS} days.`,
  access,
  body: SalesAgreementInput,
  status: 201,
  answersState: 'PROPOSED',
  response: SalesAgreement,
  refusals: ['conflict', 'limit_reached'],
  audit: {
    procedure: 'salesAgreement.create',
    request: ['salesAgreementId', 'manufacturerOrgId', 'sellerOrgId', 'feePercent'],
  },
})

const verb = verbsOf({
  name: 'salesAgreement',
  table: SALES_AGREEMENT,
  path: `${path}/{id}`,
  tag: agreementsTag,
  params: agreementId,
  response: SalesAgreement,
})

export const acceptSalesAgreement = defineOperation({
  ...verb('accept', { note: PERMISSIONS }),
  summary: 'Accept a sales agreement',
  access,
})

export const endSalesAgreement = defineOperation({
  ...verb('end', {
    note: `Orders that were awarded keep their fee. ${PERMISSIONS} An administrator (\`org:admin\`) can end it even after the organization has lost its role.`,
  }),
  summary: 'End a sales agreement',
  access: [...access, 'org:admin'],
})

export const RfqSeller = closed(
  {
    sellerOrgId,
    name: Type.String({ description: 'Name of the seller.', examples: ['Skagen Trading'] }),
    agreements: Type.Array(closed({ manufacturerOrgId, feePercent }, { description: 'An active agreement.' }), {
      description: 'The manufacturers with a submitted or accepted offer whose parts it sells, and its fees.',
      examples: [[{ manufacturerOrgId: EXAMPLE_MANUFACTURER, feePercent: '2.50' }]],
    }),
  },
  { description: 'A seller that an award of the RFQ may name.' },
)
export type RfqSeller = Static<typeof RfqSeller>

export const listRfqSellers = defineOperation({
  id: 'listRfqSellers',
  method: 'GET',
  path: '/flows/v1/rfqs/{id}/sellers',
  tag: agreementsTag,
  summary: 'List the sellers that an award may name',
  description: `By name, for the consumer: sellers with an active agreement with at least one manufacturer that has a submitted or accepted offer; at most ${MAX_SELLERS}. An award names a seller that has one with each awarded manufacturer; a manufacturer sells its own parts without one.`,
  access: 'token',
  params: rfqId,
  response: ItemsOf(RfqSeller),
})
