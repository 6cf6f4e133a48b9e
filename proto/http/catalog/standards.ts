import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, OneOf, pathParam } from '../shapes.ts'
import { MATERIAL_TYPES } from './enums.ts'

const tag = defineTag(
  'Standards',
  'Designations, titles, editions and governing bodies of standards. The standards themselves belong to their publishers.',
)

export const Standard = closed({
  code: Type.String({ description: 'Code of the standard.', examples: ['iso-astm-52901'] }),
  title: Type.String({
    description: 'Designation and title.',
    examples: ['ISO/ASTM 52901: Additive manufacturing — General principles — Requirements for purchased AM parts'],
  }),
  governingBody: Type.String({ description: 'Publisher of the standard.', examples: ['ISO/ASTM'] }),
  materialType: Type.Optional(
    OneOf(MATERIAL_TYPES, {
      description: 'Material type of the standard; absent for a general standard.',
      examples: ['metal'],
    }),
  ),
  edition: Type.Optional(Type.String({ description: 'Edition in the notation of the publisher.', examples: ['2017'] })),
})
export type Standard = Static<typeof Standard>

export const listStandards = defineOperation({
  id: 'listStandards',
  method: 'GET',
  path: '/v1/standards',
  tag,
  summary: 'List standards',
  description: 'The complete list in one response, ordered by code. Filters can be combined.',
  access: 'token',
  query: Type.Object({
    governingBody: Type.Optional(
      Type.String({ description: 'Only standards of this governing body; exact match.', examples: ['ASTM'] }),
    ),
    materialType: Type.Optional(
      Type.String({ description: 'Only standards for this material type; exact match.', examples: ['metal'] }),
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
  description: 'An unknown id is 404.',
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
  description: 'Up to 100, in the order requested, each once. Unknown and inaccessible ones are omitted.',
  access: 'token',
  body: BatchOf('codes', ['iso-astm-52901', 'en-10204-3.1']),
  response: ItemsOf(Standard),
})
