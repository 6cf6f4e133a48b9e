import { type Static, Type } from '@sinclair/typebox'
import { CASE, CASE_STATES } from '../../states/cases.ts'
import { crudOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Id, Ids, Line, OneOf, pageQuery, patchOf, pathParam, Text } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'

export const casesTag = defineTag(
  'Cases',
  'Sourcing and quality cases with messages, tasks and expenses. An RFQ opens a sourcing case for each organization involved; that of an invited manufacturer is its conversation with the consumer.',
)

export const CASE_KINDS = ['SOURCING', 'QUALITY'] as const
export type CaseKind = (typeof CASE_KINDS)[number]

/** Maximum number of cases that an organization opens about one RFQ or order: OPEN ones, and all. */
export const MAX_OPEN_CASES = 20
export const MAX_CASES = 200
/**
 * Cases that all organizations together may have about one record, which two of them would otherwise flood. The first
 * `MAX_OPEN_CASES` of each organization are possible beyond it, so that two cannot use up the room of a third.
 */
export const MAX_CASES_OF_ALL = 400

const EXAMPLE_ID = 'case_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_ORG = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_RFQ = 'rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_ORDER = 'order_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const kind = OneOf(CASE_KINDS, { description: 'Kind of case.', examples: ['QUALITY'] })
const state = OneOf(CASE_STATES, {
  description: 'State of the case. Content, tasks and expenses change only while it is OPEN.',
  examples: ['OPEN'],
})
const title = Line(200, { description: 'Title of the case.', examples: ['Porosity in the first article'] })
const description = Text(10_000, {
  description: 'Description of the case.',
  examples: ['Pores of up to 0.4 mm at the flange.'],
})

export const CaseInput = closed({
  kind,
  title,
  description: Type.Optional(description),
  rfqId: Type.Optional(Id('RFQ that the case is about, which your organization can read.', EXAMPLE_RFQ)),
  orderId: Type.Optional(
    Id('Order that the case is about, instead of an RFQ. Your organization can read it.', EXAMPLE_ORDER),
  ),
  partyOrgIds: Type.Optional(
    Ids('an organization of the order', EXAMPLE_ORG, {
      minItems: 1,
      maxItems: 10,
      description:
        'For a QUALITY case of an order: the organizations of the order that are parties, beside your own. Default: all.',
    }),
  ),
})
export type CaseInput = Static<typeof CaseInput>

export const CasePatch = patchOf(Type.Pick(CaseInput, ['title', 'description']), {
  description: 'Changes the fields that are sent; null clears an optional field.',
  examples: [{ title: 'Porosity in the first article', description: null }],
})
export type CasePatch = Static<typeof CasePatch>

export const Case = closed({
  id: Type.String({ description: 'Id of the case.', examples: [EXAMPLE_ID] }),
  kind,
  state,
  title,
  description: Type.Optional(description),
  rfqId: Type.Optional(Type.String({ description: 'RFQ that the case is about.', examples: [EXAMPLE_RFQ] })),
  orderId: Type.Optional(Type.String({ description: 'Order that the case is about.', examples: [EXAMPLE_ORDER] })),
  orgId: Type.String({
    description: 'Organization that opened the case, or for which it was opened.',
    examples: [EXAMPLE_ORG],
  }),
  partyOrgIds: Type.Array(Type.String({ description: 'Id of an organization.', examples: [EXAMPLE_ORG] }), {
    description: 'Organizations that read the case and receive its events.',
    examples: [[EXAMPLE_ORG]],
  }),
  closedByOrgId: Type.Optional(
    Type.String({
      description:
        'Organization that closed the case, the only one that can reopen it. Absent while it is OPEN, and if its RFQ closed it.',
      examples: [EXAMPLE_ORG],
    }),
  ),
  unreadCount: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Messages of other parties that your organization has not read. Absent in events.',
      examples: [2],
    }),
  ),
  lastMessageTime: Type.Optional(DateTime('Time of the newest message.')),
  createdTime: DateTime('Time of creation.'),
  updatedTime: DateTime('Time of the last change to the case, to its RFQ or to an offer for it.'),
})
export type Case = Static<typeof Case>

export const caseId = pathParam('id', 'Id of the case.', EXAMPLE_ID)

const crud = crudOf({
  name: 'case',
  path: '/flows/v1/cases',
  tag: casesTag,
  access: { read: 'case:read', write: 'case:manage' },
  params: caseId,
  input: CaseInput,
  patch: CasePatch,
  response: Case,
  idName: 'caseId',
  logged: { create: Object.keys(CaseInput.properties), patch: ['title', 'description'] },
})

export const listCases = defineOperation({
  ...crud.list,
  id: 'listCases',
  summary: 'List cases',
  description: 'Cases to which your organization is a party, newest first.',
  query: Type.Object({
    ...pageQuery,
    kind: Type.Optional(kind),
    state: Type.Optional(OneOf(CASE_STATES, { description: 'State of the case.', examples: ['OPEN'] })),
    rfqId: Type.Optional(Type.String({ description: 'Id of the RFQ.', examples: [EXAMPLE_RFQ] })),
    orderId: Type.Optional(Type.String({ description: 'Id of the order.', examples: [EXAMPLE_ORDER] })),
  }),
})

export const getCase = defineOperation({
  ...crud.get,
  summary: 'Get a case',
  description: 'For its parties. Otherwise not found.',
})

export const createCase = defineOperation({
  ...crud.create,
  summary: 'Create a case',
  description: `Of at most one RFQ or order. Parties to the case of an order are the organizations of the order, or those of them that \`partyOrgIds\` names; to that of an RFQ your organization and the consumer; otherwise only your organization. The RFQ must not be AWARDED or CANCELLED, nor your organization's invitation DECLINED; an order must not have ended more than 90 days ago. An organization has at most ${MAX_OPEN_CASES} OPEN cases of its own about one record, and ${MAX_CASES} with those that it closed itself. All organizations together have at most ${MAX_CASES_OF_ALL}, including closed ones; beyond that, each one still has its first ${MAX_OPEN_CASES}.`,
  refusals: ['illegal_transition', 'limit_reached'],
})

export const patchCase = defineOperation({
  ...crud.patch,
  summary: 'Change a case',
  description: `${CASE.sentence('edit')} A case of several organizations can be changed only while a new case about its record would be allowed.`,
  transition: CASE.verbs.edit,
  etag: true,
  refusals: ['illegal_transition'],
})

const verb = verbsOf({
  name: 'case',
  table: CASE,
  path: '/flows/v1/cases/{id}',
  tag: casesTag,
  params: caseId,
  response: Case,
})

export const closeCase = defineOperation({
  ...verb('close', {
    note: 'The award or cancellation of an RFQ also closes the cases that the RFQ opened. Those of awarded manufacturers stay OPEN until 90 days after the end of their orders.',
  }),
  access: 'case:manage',
  summary: 'Close a case',
})

export const reopenCase = defineOperation({
  ...verb('reopen', { note: 'A new case about its record must be allowed.' }),
  access: 'case:manage',
  summary: 'Open a case again',
  refusals: ['illegal_transition', 'limit_reached'],
})

export const archiveCase = defineOperation({
  ...verb('archive'),
  access: 'case:manage',
  summary: 'Archive a case',
})

export const unarchiveCase = defineOperation({
  ...verb('unarchive', { note: 'A new case about its record must be allowed.' }),
  access: 'case:manage',
  summary: 'Restore an archived case',
})
