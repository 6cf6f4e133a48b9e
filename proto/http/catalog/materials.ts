import { type Static, Type } from '@sinclair/typebox'
import { catalogReads } from '../catalog-reads.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, OneOf, PageOf, pageQuery } from '../shapes.ts'
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

const reads = catalogReads({
  path: '/v1/materials',
  tag,
  key: 'code',
  keyOf: 'Code of the material.',
  examples: ['ti6al4v-grade-5', '316l'],
  response: Material,
})

export const listMaterials = defineOperation({
  ...reads.list,
  id: 'listMaterials',
  summary: 'List materials',
  description: 'Ordered by code.',
  query: Type.Object({
    ...pageQuery,
    type: Type.Optional(Type.String({ description: 'Only materials of this type; exact match.', examples: ['metal'] })),
  }),
  response: PageOf(Material),
})

export const getMaterial = defineOperation({ ...reads.get, id: 'getMaterial', summary: 'Get a material' })

export const batchGetMaterials = defineOperation({
  ...reads.batchGet,
  id: 'batchGetMaterials',
  summary: 'Get materials by code',
})
