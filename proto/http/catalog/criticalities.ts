import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, pathParam } from '../shapes.ts'

const tag = defineTag(
  'Criticalities',
  'Levels of the criticality schemes of API Std 20S, IACS Rec. 186, DNV-ST-B203, ASTM F3572, ASTM F3674 and NASA-STD-6030. Their names alone are quoted.',
)

/** A level of a criticality scheme. */
export const Criticality = closed({
  id: Type.String({ description: 'Id of the criticality.', examples: ['nasa-6030-a'] }),
  code: Type.String({ description: 'Code of the criticality: its scheme, then its level.', examples: ['nasa-6030-a'] }),
  name: Type.String({ description: 'The level as its scheme prints it.', examples: ['NASA-STD-6030: class A'] }),
  governingBody: Type.String({ description: 'Who publishes the scheme.', examples: ['NASA'] }),
  rank: Type.Integer({
    minimum: 1,
    description: 'Place in its scheme; a higher rank asks for more.',
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
  description: 'All of them in one answer, ordered by code.',
  access: 'token',
  query: Type.Object({
    governingBody: Type.Optional(
      Type.String({ description: 'Only those of this governing body, matched exactly.', examples: ['NASA'] }),
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
  access: 'token',
  body: BatchOf('ids', ['nasa-6030-a', 'api-20s-amsl-2']),
  response: ItemsOf(Criticality),
})
