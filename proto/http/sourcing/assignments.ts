import { type Static, Type } from '@sinclair/typebox'
import { oneOf } from '../../messages.ts'
import { ASSIGNMENT } from '../../states/assignments.ts'
import { FINAL_ORDER_STATES } from '../../states/orders.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Day, Line, PageOf, pageQuery, pathParam } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { Order, orderFilters, org } from './orders.ts'

export const assignmentsTag = defineTag(
  'Assignments',
  'Orders placed with factories: status, expected date, contacts and billing details, for every organization of the order.',
)

export const EXAMPLE_ASSIGNMENT_ID = 'assignment_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_EXTENSION_ID = 'extension_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_ORDER = 'order_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Maximum number of extensions of an assignment. */
export const MAX_EXTENSIONS = 50

/** The fields that an assignment shares with its order. */
const { properties: order } = Order

export const Assignment = closed(
  {
    id: Type.String({ description: 'Id of the assignment.', examples: [EXAMPLE_ASSIGNMENT_ID] }),
    orderId: Type.String({ description: 'The order.', examples: [EXAMPLE_ORDER] }),
    orderSerialNumber: Type.String({ description: 'Serial number of the order.', examples: ['O-7K2M9QXA'] }),
    rfqId: order.rfqId,
    partId: order.partId,
    factoryId: order.factoryId,
    consumerOrgId: order.consumerOrgId,
    ipOwnerOrgId: order.ipOwnerOrgId,
    manufacturerOrgId: order.manufacturerOrgId,
    sellerOrgId: org('Organization that sells the parts.', 'C'),
    distributorOrgId: order.distributorOrgId,
    status: order.state,
    archived: Type.Boolean({
      description: 'Whether the assignment is ARCHIVED; otherwise it is CURRENT.',
      examples: [false],
    }),
    dueDate: Day('Expected day (UTC) of delivery: that of the order, or of the last extension.', '2026-06-10'),
    createdTime: DateTime('Time of the award.'),
    updatedTime: DateTime('Time of the last change.'),
  },
  { description: 'One for each order, opened by the award. It has no prices.' },
)
export type Assignment = Static<typeof Assignment>

export const assignmentId = pathParam('id', 'Id of the assignment.', EXAMPLE_ASSIGNMENT_ID)

export const listAssignments = defineOperation({
  id: 'listAssignments',
  method: 'GET',
  path: '/flows/v1/assignments',
  tag: assignmentsTag,
  summary: 'List assignments',
  description: 'Newest first: the assignments of the orders in which your organization is named.',
  access: 'assignment:read',
  query: Type.Object({
    ...pageQuery,
    status: orderFilters.state,
    archived: Type.Optional(Type.Boolean({ description: 'Whether the assignment is archived.', examples: [false] })),
    orderId: Type.Optional(Type.String({ description: 'Id of the order.', examples: [EXAMPLE_ORDER] })),
    rfqId: Type.Optional(Type.String({ description: 'Id of the RFQ.', examples: ['rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] })),
    partId: orderFilters.partId,
    factoryId: orderFilters.factoryId,
  }),
  response: PageOf(Assignment),
})

export const getAssignment = defineOperation({
  id: 'getAssignment',
  method: 'GET',
  path: '/flows/v1/assignments/{id}',
  tag: assignmentsTag,
  summary: 'Get an assignment',
  description: 'For every organization named in the order. Otherwise not found.',
  access: 'assignment:read',
  params: assignmentId,
  response: Assignment,
  etag: true,
})

const verb = verbsOf({
  name: 'assignment',
  table: ASSIGNMENT,
  path: '/flows/v1/assignments/{id}',
  tag: assignmentsTag,
  params: assignmentId,
  response: Assignment,
})

export const archiveAssignment = defineOperation({
  ...verb('archive', { note: `The order must be ${oneOf(FINAL_ORDER_STATES)}.` }),
  summary: 'Archive an assignment',
  access: 'assignment:manage',
})

export const unarchiveAssignment = defineOperation({
  ...verb('unarchive'),
  summary: 'Unarchive an assignment',
  access: 'assignment:manage',
})

const reason = { description: 'Why the parts are late.', examples: ['The powder batch failed its test.'] }

export const AssignmentExtensionInput = closed({
  dueDate: Day('New expected day (UTC) of delivery, later than the current one.', '2031-06-24'),
  reason: Line(500, reason),
})

export const AssignmentExtension = closed(
  {
    id: Type.String({ description: 'Id of the extension.', examples: [EXAMPLE_EXTENSION_ID] }),
    assignmentId: Type.String({ description: 'Id of the assignment.', examples: [EXAMPLE_ASSIGNMENT_ID] }),
    orgId: org('Organization that extended the assignment: the manufacturer.', 'C'),
    dueDate: Day('Expected day of delivery after the extension.', '2026-06-24'),
    previousDueDate: Day('Expected day of delivery before it.', '2026-06-10'),
    reason: Type.String(reason),
    createdTime: DateTime('Time of the extension.'),
  },
  { description: 'A later expected day of delivery. The order keeps its agreed day.' },
)
export type AssignmentExtension = Static<typeof AssignmentExtension>

export const createAssignmentExtension = defineOperation({
  id: 'createAssignmentExtension',
  method: 'POST',
  path: '/flows/v1/assignments/{id}/extensions',
  tag: assignmentsTag,
  summary: 'Extend an assignment',
  description: `By the manufacturer, until the order is DELIVERED or ends. At most ${MAX_EXTENSIONS} extensions of an assignment.`,
  access: 'assignment:manage',
  params: assignmentId,
  body: AssignmentExtensionInput,
  status: 201,
  response: AssignmentExtension,
  refusals: ['illegal_transition', 'limit_reached'],
  audit: { procedure: 'assignment.extension.create', request: ['id', 'extensionId', 'dueDate', 'reason'] },
})

export const listAssignmentExtensions = defineOperation({
  ...listOf(AssignmentExtension),
  id: 'listAssignmentExtensions',
  path: '/flows/v1/assignments/{id}/extensions',
  tag: assignmentsTag,
  summary: "List an assignment's extensions",
  description: 'Newest first.',
  access: 'assignment:read',
  params: assignmentId,
})

export const getAssignmentExtension = defineOperation({
  id: 'getAssignmentExtension',
  method: 'GET',
  path: '/flows/v1/assignments/{id}/extensions/{extensionId}',
  tag: assignmentsTag,
  summary: 'Get an extension of an assignment',
  description: 'An unknown id and one outside your scope are the same 404.',
  access: 'assignment:read',
  params: Type.Composite([assignmentId, pathParam('extensionId', 'Id of the extension.', EXAMPLE_EXTENSION_ID)]),
  response: AssignmentExtension,
  etag: true,
})
