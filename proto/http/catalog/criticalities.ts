import { type Static, Type } from '@sinclair/typebox'
import { catalogReads } from '../catalog-reads.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, ItemsOf } from '../shapes.ts'

const tag = defineTag(
  'Criticalities',
  'Levels of the criticality schemes of API Std 20S, IACS Rec. 186, DNV-ST-B203, ASTM F3572, ASTM F3674 and NASA-STD-6030. Only their names are quoted.',
)

/** A level of a criticality scheme. */
export const Criticality = closed({
  id: Type.String({ description: 'Id of the criticality.', examples: ['nasa-6030-a'] }),
  code: Type.String({ description: 'Code of the criticality: scheme and level.', examples: ['nasa-6030-a'] }),
  name: Type.String({ description: 'Name of the level in its scheme.', examples: ['NASA-STD-6030: class A'] }),
  governingBody: Type.String({ description: 'Publisher of the scheme.', examples: ['NASA'] }),
  rank: Type.Integer({
    minimum: 1,
    description: 'Rank in the scheme; a higher rank is stricter.',
    examples: [3],
  }),
})
export type Criticality = Static<typeof Criticality>

const reads = catalogReads({
  path: '/v1/criticalities',
  tag,
  key: 'id',
  keyOf: 'Id of the criticality.',
  examples: ['nasa-6030-a', 'api-20s-amsl-2'],
  response: Criticality,
})

export const listCriticalities = defineOperation({
  ...reads.list,
  id: 'listCriticalities',
  summary: 'List criticalities',
  description: 'The complete list in one response, ordered by code.',
  query: Type.Object({
    governingBody: Type.Optional(
      Type.String({ description: 'Only criticalities of this governing body; exact match.', examples: ['NASA'] }),
    ),
  }),
  response: ItemsOf(Criticality),
})

export const getCriticality = defineOperation({ ...reads.get, id: 'getCriticality', summary: 'Get a criticality' })

export const batchGetCriticalities = defineOperation({
  ...reads.batchGet,
  id: 'batchGetCriticalities',
  summary: 'Get criticalities by id',
})
