import { type Static, Type } from '@sinclair/typebox'
import { crudOf } from '../crud.ts'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, Line, patchOf, pathParam } from '../shapes.ts'
import { contactEmail } from './assignment-contacts.ts'
import { assignmentId, assignmentsTag, EXAMPLE_ASSIGNMENT_ID } from './assignments.ts'
import { addressFields } from './factories.ts'

const EXAMPLE_ID = 'billing_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Maximum number of billing details of one organization for an assignment. */
export const MAX_BILLING_DETAILS = 50

export const BillingAddress = closed(addressFields, { description: 'Address for invoices.' })

const companyName = Line(200, { description: 'Name of the company as on invoices.', examples: ['Skagen Pumps A/S'] })
const optional = {
  taxId: Line(50, { description: 'Tax number, such as that for VAT.', examples: ['DK12345678'] }),
  email: contactEmail('E-mail address for invoices.', 'invoices@skagen-pumps.example.com'),
  reference: Line(200, { description: 'Reference to show on invoices.', examples: ['PO 4500012345'] }),
}

export const BillingDetailsInput = closed({
  companyName,
  address: BillingAddress,
  taxId: Type.Optional(optional.taxId),
  email: Type.Optional(optional.email),
  reference: Type.Optional(optional.reference),
})
export type BillingDetailsInput = Static<typeof BillingDetailsInput>

export const BillingDetailsPatch = patchOf(BillingDetailsInput, {
  description: 'Changes the fields that are sent; null clears an optional field. The address is replaced completely.',
  examples: [{ taxId: null, reference: 'PO 4500012346' }],
})
export type BillingDetailsPatch = Static<typeof BillingDetailsPatch>

export const BillingDetails = closed(
  {
    id: Type.String({ description: 'Id of the billing details.', examples: [EXAMPLE_ID] }),
    assignmentId: Type.String({ description: 'Id of the assignment.', examples: [EXAMPLE_ASSIGNMENT_ID] }),
    orgId: Type.String({
      description: 'Organization that created the billing details.',
      examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
    companyName,
    address: BillingAddress,
    taxId: Type.Optional(optional.taxId),
    email: Type.Optional(optional.email),
    reference: Type.Optional(optional.reference),
    createdTime: DateTime('Time of the creation.'),
    updatedTime: DateTime('Time of the last change.'),
  },
  { description: 'Where and how to invoice an organization of the order; visible to every organization of the order.' },
)
export type BillingDetails = Static<typeof BillingDetails>

const billingDetailsId = Type.Composite([
  assignmentId,
  pathParam('billingDetailsId', 'Id of the billing details.', EXAMPLE_ID),
])

const crud = crudOf({
  name: 'assignment.billingDetails',
  path: '/flows/v1/assignments/{id}/billing-details',
  tag: assignmentsTag,
  access: { read: 'assignment:read', write: 'assignment:manage' },
  params: billingDetailsId,
  input: BillingDetailsInput,
  patch: BillingDetailsPatch,
  response: BillingDetails,
  // The content is not logged, because it can be of a person and entries of the log are never changed.
  logged: { create: [], patch: ['fields'] },
})

export const createBillingDetails = defineOperation({
  ...crud.create,
  id: 'createBillingDetails',
  summary: 'Create billing details of an assignment',
  description: `By every organization of the order, until the assignment is archived. At most ${MAX_BILLING_DETAILS} of each organization.`,
  params: assignmentId,
  refusals: ['illegal_transition', 'limit_reached'],
})

export const listBillingDetails = defineOperation({
  ...crud.list,
  id: 'listBillingDetails',
  summary: "List an assignment's billing details",
  description: 'Newest first: those of every organization of the order.',
  params: assignmentId,
})

export const getBillingDetails = defineOperation({
  ...crud.get,
  id: 'getBillingDetails',
  summary: 'Get billing details of an assignment',
})

export const patchBillingDetails = defineOperation({
  ...crud.patch,
  id: 'patchBillingDetails',
  summary: 'Change billing details of an assignment',
  description: 'By the organization that created them, until the assignment is archived.',
  etag: true,
  refusals: ['illegal_transition'],
})

export const deleteBillingDetails = defineOperation({
  ...crud.delete,
  id: 'deleteBillingDetails',
  summary: 'Delete billing details of an assignment',
  description: 'By the organization that created them, until the assignment is archived.',
  refusals: ['illegal_transition'],
})
