import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Line, PageOf, pageQuery, pathParam } from '../shapes.ts'

const tag = defineTag('Custom fields (beyond the specification)', 'Dropdowns of your own for your parts.')
const EXAMPLE_ID = 'field_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_OPTION = 'option_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Custom fields that an organization may have. */
export const MAX_CUSTOM_FIELDS = 1000

const name = Line(100, {
  description: 'What the field is called, unique in the organization.',
  examples: ['Lifecycle'],
})
const optionName = Line(100, { description: 'What the option is called, unique in the field.', examples: ['Legacy'] })
const OPTIONS = { minItems: 1, maxItems: 100 }

export const CustomField = closed({
  id: Type.String({ description: 'Id of the field.', examples: [EXAMPLE_ID] }),
  name: Type.String({ description: 'What the field is called.', examples: ['Lifecycle'] }),
  options: Type.Array(
    closed({
      id: Type.String({ description: 'Id of the option.', examples: [EXAMPLE_OPTION] }),
      name: Type.String({ description: 'What the option is called.', examples: ['Legacy'] }),
    }),
    {
      description: 'The choices, in the order in which a dropdown shows them.',
      examples: [[{ id: EXAMPLE_OPTION, name: 'Legacy' }]],
    },
  ),
})
export type CustomField = Static<typeof CustomField>

export const CustomFieldRequest = closed({
  name,
  options: Type.Array(closed({ name: optionName }), {
    ...OPTIONS,
    description: 'The choices, in the order in which a dropdown shows them.',
    examples: [[{ name: 'Current' }, { name: 'Legacy' }]],
  }),
})
export type CustomFieldRequest = Static<typeof CustomFieldRequest>

export const PatchCustomFieldRequest = closed({
  name: Type.Optional(name),
  options: Type.Optional(
    Type.Array(
      closed({
        id: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 64,
            description: 'An option that stays; without an id it is a new one.',
            examples: [EXAMPLE_OPTION],
          }),
        ),
        name: optionName,
      }),
      {
        ...OPTIONS,
        description: 'All choices from now on, in their order; one that is left out is deleted, unless a part uses it.',
        examples: [[{ name: 'Current' }, { name: 'Legacy' }]],
      },
    ),
  ),
})
export type PatchCustomFieldRequest = Static<typeof PatchCustomFieldRequest>

const fieldId = pathParam('id', 'Id of the field.', EXAMPLE_ID)

export const listCustomFields = defineOperation({
  id: 'listCustomFields',
  method: 'GET',
  path: '/flows/v1/custom-fields',
  tag,
  summary: 'List custom fields',
  description: 'Of your organization, by name, each with its options.',
  access: 'token',
  query: Type.Object({ ...pageQuery }),
  response: PageOf(CustomField),
})

export const getCustomField = defineOperation({
  id: 'getCustomField',
  method: 'GET',
  path: '/flows/v1/custom-fields/{id}',
  tag,
  summary: 'Get a custom field',
  access: 'token',
  params: fieldId,
  response: CustomField,
  etag: true,
})

export const createCustomField = defineOperation({
  id: 'createCustomField',
  method: 'POST',
  path: '/flows/v1/custom-fields',
  tag,
  summary: 'Create a custom field',
  description: `A dropdown for your parts. At most ${MAX_CUSTOM_FIELDS} for an organization.`,
  access: 'org:admin',
  body: CustomFieldRequest,
  status: 201,
  response: CustomField,
  idempotent: true,
  refusals: ['conflict', 'limit_reached'],
  audit: { procedure: 'customField.create', request: ['fieldId', 'name', 'options'] },
})

export const patchCustomField = defineOperation({
  id: 'patchCustomField',
  method: 'PATCH',
  path: '/flows/v1/custom-fields/{id}',
  tag,
  summary: 'Change a custom field',
  access: 'org:admin',
  params: fieldId,
  body: PatchCustomFieldRequest,
  response: CustomField,
  ifMatch: true,
  refusals: ['conflict', 'in_use'],
  audit: { procedure: 'customField.patch', request: ['id', 'name', 'options'] },
})

export const deleteCustomField = defineOperation({
  id: 'deleteCustomField',
  method: 'DELETE',
  path: '/flows/v1/custom-fields/{id}',
  tag,
  summary: 'Delete a custom field',
  description: 'One that no part uses, with its options.',
  access: 'org:admin',
  params: fieldId,
  status: 204,
  refusals: ['in_use'],
  audit: { procedure: 'customField.delete', request: ['id'] },
})
