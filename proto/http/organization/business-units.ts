import { type Static, Type } from '@sinclair/typebox'
import { crudOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Line, pathParam } from '../shapes.ts'

const tag = defineTag('Business units', 'Divisions of your organization, to which parts can belong.')
const EXAMPLE_ID = 'bu_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Maximum number of business units of an organization. */
export const MAX_BUSINESS_UNITS = 1000

const name = Line(100, {
  description: 'Name of the unit, unique in the organization.',
  examples: ['Marine pumps'],
})

export const BusinessUnit = closed({
  id: Type.String({ description: 'Id of the unit.', examples: [EXAMPLE_ID] }),
  name: Type.String({ description: 'Name of the unit.', examples: ['Marine pumps'] }),
})
export type BusinessUnit = Static<typeof BusinessUnit>

export const BusinessUnitInput = closed({ name })
export const BusinessUnitPatch = Type.Partial(BusinessUnitInput)

const unitId = pathParam('id', 'Id of the unit.', EXAMPLE_ID)

const crud = crudOf({
  name: 'businessUnit',
  path: '/flows/v1/business-units',
  tag,
  access: { read: 'token', write: 'org:admin' },
  params: unitId,
  input: BusinessUnitInput,
  patch: BusinessUnitPatch,
  response: BusinessUnit,
  idName: 'businessUnitId',
})

export const listBusinessUnits = defineOperation({
  ...crud.list,
  id: 'listBusinessUnits',
  summary: 'List business units',
  description: 'The business units of your organization, ordered by name.',
})

export const getBusinessUnit = defineOperation({
  ...crud.get,
  summary: 'Get a business unit',
})

export const createBusinessUnit = defineOperation({
  ...crud.create,
  summary: 'Create a business unit',
  description: `At most ${MAX_BUSINESS_UNITS} per organization.`,
  refusals: ['conflict', 'limit_reached'],
})

export const patchBusinessUnit = defineOperation({
  ...crud.patch,
  summary: 'Rename a business unit',
  description: 'A name is unique in your organization, regardless of case.',
  refusals: ['conflict'],
})

export const deleteBusinessUnit = defineOperation({
  ...crud.delete,
  summary: 'Delete a business unit',
  description: 'Refused if a part belongs to the unit.',
  refusals: ['in_use'],
})
