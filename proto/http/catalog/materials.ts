import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, OneOf, PageOf, pageQuery, pathParam } from '../shapes.ts'
import { MATERIAL_TYPES } from './enums.ts'

const tag = defineTag('Materials', 'Materials by their common designations, compiled by the project.')

export const Material = closed({
  code: Type.String({ description: 'Code of the material.', examples: ['ti6al4v-grade-5'] }),
  name: Type.String({ description: 'Name and designation.', examples: ['Titanium alloy Ti6Al4V (Grade 5)'] }),
  type: OneOf(MATERIAL_TYPES, { description: 'Type of the material.', examples: ['metal'] }),
  standardCodes: Type.Array(Type.String({ description: 'Code of a standard.', examples: ['astm-f2924'] }), {
    description: 'Standards that specify the material.',
    examples: [['astm-f2924']],
  }),
})
export type Material = Static<typeof Material>

export const listMaterials = defineOperation({
  id: 'listMaterials',
  method: 'GET',
  path: '/v1/materials',
  tag,
  summary: 'List materials',
  description: 'Ordered by code.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    type: Type.Optional(Type.String({ description: 'Only materials of this type; exact match.', examples: ['metal'] })),
  }),
  response: PageOf(Material),
  etag: true,
})

export const getMaterial = defineOperation({
  id: 'getMaterial',
  method: 'GET',
  path: '/v1/materials/{code}',
  tag,
  summary: 'Get a material',
  description: 'An unknown id is 404.',
  access: 'token',
  params: pathParam('code', 'Code of the material.', 'ti6al4v-grade-5'),
  response: Material,
  etag: true,
})

export const batchGetMaterials = defineOperation({
  id: 'batchGetMaterials',
  method: 'POST',
  path: '/v1/materials:batch-get',
  tag,
  summary: 'Get materials by code',
  description: 'Up to 100, in the order requested, each once. Unknown and inaccessible ones are omitted.',
  access: 'token',
  body: BatchOf('codes', ['ti6al4v-grade-5', '316l']),
  response: ItemsOf(Material),
})
