import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, OneOf, pathParam } from '../shapes.ts'
import { MATERIAL_TYPES } from './words.ts'

const tag = defineTag(
  'Standards',
  'Designations, titles, editions and governing bodies of standards. The standards themselves belong to their publishers.',
)

export const Standard = closed({
  code: Type.String({ description: 'Code of the standard.', examples: ['iso-astm-52901'] }),
  title: Type.String({
    description: 'Printed designation and title.',
    examples: ['ISO/ASTM 52901: Additive manufacturing — General principles — Requirements for purchased AM parts'],
  }),
  governingBody: Type.String({ description: 'Who publishes it.', examples: ['ISO/ASTM'] }),
  materialType: Type.Optional(
    OneOf(MATERIAL_TYPES, {
      description: 'The type of material it is about; absent where it is about any.',
      examples: ['metal'],
    }),
  ),
  edition: Type.Optional(
    Type.String({ description: 'The edition meant, as its publisher writes it.', examples: ['2017'] }),
  ),
})
export type Standard = Static<typeof Standard>

export const listStandards = defineOperation({
  id: 'listStandards',
  method: 'GET',
  path: '/v1/standards',
  tag,
  summary: 'List standards',
  description: 'All of them in one answer, ordered by code. Filters combine.',
  access: 'token',
  query: Type.Object({
    governingBody: Type.Optional(
      Type.String({ description: 'Only those of this governing body, matched exactly.', examples: ['ASTM'] }),
    ),
    materialType: Type.Optional(
      Type.String({ description: 'Only those about this type of material, matched exactly.', examples: ['metal'] }),
    ),
  }),
  response: ItemsOf(Standard),
  etag: true,
})

export const getStandard = defineOperation({
  id: 'getStandard',
  method: 'GET',
  path: '/v1/standards/{code}',
  tag,
  summary: 'Get a standard',
  access: 'token',
  params: pathParam('code', 'Code of the standard.', 'iso-astm-52901'),
  response: Standard,
  etag: true,
})

export const batchGetStandards = defineOperation({
  id: 'batchGetStandards',
  method: 'POST',
  path: '/v1/standards:batch-get',
  tag,
  summary: 'Get standards by code',
  access: 'token',
  body: BatchOf('codes', ['iso-astm-52901', 'en-10204-3.1']),
  response: ItemsOf(Standard),
})
