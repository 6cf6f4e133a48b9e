import { type Static, Type } from '@sinclair/typebox'
import { crudOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Id, Line, pathParam } from '../shapes.ts'

const tag = defineTag('Custom fields', 'Dropdown fields that your organization adds to its parts.')
const EXAMPLE_ID = 'field_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_OPTION = 'option_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Maximum number of custom fields of an organization. */
export const MAX_CUSTOM_FIELDS = 1000

const name = Line(100, {
  description: 'Name of the field, unique in the organization.',
  examples: ['Lifecycle'],
})
const optionName = Line(100, { description: 'Name of the option, unique in the field.', examples: ['Legacy'] })
const OPTIONS = { minItems: 1, maxItems: 100 }

export const CustomField = closed({
  id: Type.String({ description: 'Id of the field.', examples: [EXAMPLE_ID] }),
  name: Type.String({ description: 'Name of the field.', examples: ['Lifecycle'] }),
  options: Type.Array(
    closed({
      id: Type.String({ description: 'Id of the option.', examples: [EXAMPLE_OPTION] }),
      name: Type.String({ description: 'Name of the option.', examples: ['Legacy'] }),
    }),
    {
      description: 'Options in display order.',
      examples: [[{ id: EXAMPLE_OPTION, name: 'Legacy' }]],
    },
  ),
})
export type CustomField = Static<typeof CustomField>

export const CustomFieldDefinition = closed({
  name,
  options: Type.Array(closed({ name: optionName }), {
    ...OPTIONS,
    description: 'Options in display order.',
    examples: [[{ name: 'Current' }, { name: 'Legacy' }]],
  }),
})

export const CustomFieldPatch = closed({
  name: Type.Optional(name),
  options: Type.Optional(
    Type.Array(
      closed({
        id: Type.Optional(Id('Id of an existing option; absent for a new one.', EXAMPLE_OPTION)),
        name: optionName,
      }),
      {
        ...OPTIONS,
        description:
          'The complete list of options in display order. Missing options are deleted, unless a part uses them.',
        examples: [[{ name: 'Current' }, { name: 'Legacy' }]],
      },
    ),
  ),
})

const fieldId = pathParam('id', 'Id of the field.', EXAMPLE_ID)

const crud = crudOf({
  name: 'customField',
  path: '/flows/v1/custom-fields',
  tag,
  access: { read: 'token', write: 'org:admin' },
  params: fieldId,
  input: CustomFieldDefinition,
  patch: CustomFieldPatch,
  response: CustomField,
  idName: 'fieldId',
})

export const listCustomFields = defineOperation({
  ...crud.list,
  id: 'listCustomFields',
  summary: 'List custom fields',
  description: 'The custom fields of your organization with their options, ordered by name.',
})

export const getCustomField = defineOperation({
  ...crud.get,
  summary: 'Get a custom field',
})

export const createCustomField = defineOperation({
  ...crud.create,
  summary: 'Create a custom field',
  description: `At most ${MAX_CUSTOM_FIELDS} per organization.`,
  refusals: ['conflict', 'limit_reached'],
})

export const patchCustomField = defineOperation({
  ...crud.patch,
  summary: 'Change a custom field',
  description: 'With `options`, omitted ones are deleted, unless a part uses them (409).',
  refusals: ['conflict', 'in_use'],
})

export const deleteCustomField = defineOperation({
  ...crud.delete,
  summary: 'Delete a custom field',
  description: 'Deletes the field and its options. Refused if a part uses the field.',
  refusals: ['in_use'],
})
