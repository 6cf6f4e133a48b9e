import { type Static, Type } from '@sinclair/typebox'
import { catalogReads } from '../catalog-reads.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, ItemsOf, OneOf } from '../shapes.ts'
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

const reads = catalogReads({
  path: '/v1/standards',
  tag,
  key: 'code',
  keyOf: 'Code of the standard.',
  examples: ['iso-astm-52901', 'en-10204-3.1'],
  response: Standard,
})

export const listStandards = defineOperation({
  ...reads.list,
  id: 'listStandards',
  summary: 'List standards',
  description: 'The complete list in one response, ordered by code. Filters can be combined.',
  query: Type.Object({
    governingBody: Type.Optional(
      Type.String({ description: 'Only standards of this governing body; exact match.', examples: ['ASTM'] }),
    ),
    materialType: Type.Optional(
      Type.String({ description: 'Only standards for this material type; exact match.', examples: ['metal'] }),
    ),
  }),
  response: ItemsOf(Standard),
})

export const getStandard = defineOperation({ ...reads.get, id: 'getStandard', summary: 'Get a standard' })

export const batchGetStandards = defineOperation({
  ...reads.batchGet,
  id: 'batchGetStandards',
  summary: 'Get standards by code',
})
