import { type Static, Type } from '@sinclair/typebox'
import { crudOf } from '../crud.ts'
import { defineOperation } from '../operation.ts'
import { EMAIL_FORM, EMAIL_MAX_CHARACTERS, EMAIL_PATTERN } from '../organization/users.ts'
import { closed, DateTime, FORM, Line, patchOf, pathParam, Text } from '../shapes.ts'
import { assignmentId, assignmentsTag, EXAMPLE_ASSIGNMENT_ID } from './assignments.ts'

const EXAMPLE_ID = 'contact_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Maximum number of contacts of one organization for an assignment. */
export const MAX_CONTACTS = 50

export const contactEmail = (description: string, example: string) =>
  Text(EMAIL_MAX_CHARACTERS, {
    minLength: 3,
    pattern: EMAIL_PATTERN,
    [FORM]: EMAIL_FORM,
    description,
    examples: [example],
  })

const name = Line(200, { description: 'Name of the person or department.', examples: ['Ingrid Solberg'] })
const optional = {
  role: Line(100, { description: 'Task of the contact.', examples: ['Quality manager'] }),
  email: contactEmail('E-mail address.', 'ingrid.solberg@nordvik-additive.example.com'),
  phone: Line(40, { description: 'Telephone number.', examples: ['+47 55 12 34 56'] }),
}

export const AssignmentContactInput = closed({
  name,
  role: Type.Optional(optional.role),
  email: Type.Optional(optional.email),
  phone: Type.Optional(optional.phone),
})
export type AssignmentContactInput = Static<typeof AssignmentContactInput>

export const AssignmentContactPatch = patchOf(AssignmentContactInput, {
  description: 'Changes the fields that are sent; null clears an optional field.',
  examples: [{ role: null, phone: '+47 55 12 34 57' }],
})
export type AssignmentContactPatch = Static<typeof AssignmentContactPatch>

export const AssignmentContact = closed(
  {
    id: Type.String({ description: 'Id of the contact.', examples: [EXAMPLE_ID] }),
    assignmentId: Type.String({ description: 'Id of the assignment.', examples: [EXAMPLE_ASSIGNMENT_ID] }),
    orgId: Type.String({
      description: 'Organization that created the contact.',
      examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
    }),
    name,
    role: Type.Optional(optional.role),
    email: Type.Optional(optional.email),
    phone: Type.Optional(optional.phone),
    createdTime: DateTime('Time of the creation.'),
    updatedTime: DateTime('Time of the last change.'),
  },
  { description: 'Whom to contact about an assignment, visible to every organization of the order.' },
)
export type AssignmentContact = Static<typeof AssignmentContact>

const contactId = Type.Composite([assignmentId, pathParam('contactId', 'Id of the contact.', EXAMPLE_ID)])

const crud = crudOf({
  name: 'assignment.contact',
  path: '/flows/v1/assignments/{id}/contacts',
  tag: assignmentsTag,
  access: { read: 'assignment:read', write: 'assignment:manage' },
  params: contactId,
  input: AssignmentContactInput,
  patch: AssignmentContactPatch,
  response: AssignmentContact,
  // Name, e-mail address and telephone number are not logged, because entries of the log are never changed.
  logged: { create: [], patch: ['fields'] },
})

export const createAssignmentContact = defineOperation({
  ...crud.create,
  summary: 'Create a contact of an assignment',
  description: `By every organization of the order, until the assignment is archived. At most ${MAX_CONTACTS} of each organization.`,
  params: assignmentId,
  refusals: ['illegal_transition', 'limit_reached'],
})

export const listAssignmentContacts = defineOperation({
  ...crud.list,
  id: 'listAssignmentContacts',
  summary: "List an assignment's contacts",
  description: 'Newest first: those of every organization of the order.',
  params: assignmentId,
})

export const getAssignmentContact = defineOperation({
  ...crud.get,
  summary: 'Get a contact of an assignment',
})

export const patchAssignmentContact = defineOperation({
  ...crud.patch,
  summary: 'Change a contact of an assignment',
  description: 'By the organization that created it, until the assignment is archived.',
  etag: true,
  refusals: ['illegal_transition'],
})

export const deleteAssignmentContact = defineOperation({
  ...crud.delete,
  summary: 'Delete a contact of an assignment',
  description: 'By the organization that created it, until the assignment is archived.',
  refusals: ['illegal_transition'],
})
