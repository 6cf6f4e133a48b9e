import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, pathParam } from '../shapes.ts'

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

export const listCriticalities = defineOperation({
  id: 'listCriticalities',
  method: 'GET',
  path: '/v1/criticalities',
  tag,
  summary: 'List criticalities',
  description: 'The complete list in one response, ordered by code.',
  access: 'token',
  query: Type.Object({
    governingBody: Type.Optional(
      Type.String({ description: 'Only criticalities of this governing body; exact match.', examples: ['NASA'] }),
    ),
  }),
  response: ItemsOf(Criticality),
  etag: true,
})

export const getCriticality = defineOperation({
  id: 'getCriticality',
  method: 'GET',
  path: '/v1/criticalities/{id}',
  tag,
  summary: 'Get a criticality',
  description: 'An unknown id is 404.',
  access: 'token',
  params: pathParam('id', 'Id of the criticality.', 'nasa-6030-a'),
  response: Criticality,
  etag: true,
})

export const batchGetCriticalities = defineOperation({
  id: 'batchGetCriticalities',
  method: 'POST',
  path: '/v1/criticalities:batch-get',
  tag,
  summary: 'Get criticalities by id',
  description: 'Up to 100, in the order requested, each once. Unknown and inaccessible ones are omitted.',
  access: 'token',
  body: BatchOf('ids', ['nasa-6030-a', 'api-20s-amsl-2']),
  response: ItemsOf(Criticality),
})
