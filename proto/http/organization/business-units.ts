import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Line, PageOf, pageQuery, pathParam } from '../shapes.ts'

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

export const listBusinessUnits = defineOperation({
  id: 'listBusinessUnits',
  method: 'GET',
  path: '/flows/v1/business-units',
  tag,
  summary: 'List business units',
  description: 'The business units of your organization, ordered by name.',
  access: 'token',
  query: Type.Object({ ...pageQuery }),
  response: PageOf(BusinessUnit),
})

export const getBusinessUnit = defineOperation({
  id: 'getBusinessUnit',
  method: 'GET',
  path: '/flows/v1/business-units/{id}',
  tag,
  summary: 'Get a business unit',
  description: 'An unknown id and one outside your scope are the same 404.',
  access: 'token',
  params: unitId,
  response: BusinessUnit,
  etag: true,
})

export const createBusinessUnit = defineOperation({
  id: 'createBusinessUnit',
  method: 'POST',
  path: '/flows/v1/business-units',
  tag,
  summary: 'Create a business unit',
  description: `At most ${MAX_BUSINESS_UNITS} per organization.`,
  access: 'org:admin',
  body: BusinessUnitInput,
  status: 201,
  response: BusinessUnit,
  refusals: ['conflict', 'limit_reached'],
  audit: { procedure: 'businessUnit.create', request: ['businessUnitId', 'name'] },
})

export const patchBusinessUnit = defineOperation({
  id: 'patchBusinessUnit',
  method: 'PATCH',
  path: '/flows/v1/business-units/{id}',
  tag,
  summary: 'Rename a business unit',
  description: 'A name is unique in your organization, regardless of case.',
  access: 'org:admin',
  params: unitId,
  body: BusinessUnitPatch,
  response: BusinessUnit,
  ifMatch: true,
  refusals: ['conflict'],
  audit: { procedure: 'businessUnit.patch', request: ['id', 'name'] },
})

export const deleteBusinessUnit = defineOperation({
  id: 'deleteBusinessUnit',
  method: 'DELETE',
  path: '/flows/v1/business-units/{id}',
  tag,
  summary: 'Delete a business unit',
  description: 'Refused if a part belongs to the unit.',
  access: 'org:admin',
  params: unitId,
  status: 204,
  refusals: ['in_use'],
  audit: { procedure: 'businessUnit.delete', request: ['id'] },
})
