import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, OneOf, pathParam } from '../shapes.ts'
import { MATERIAL_TYPES } from './enums.ts'

const tag = defineTag(
  'Processes',
  'Manufacturing processes by material type, based on the process families of ISO/ASTM 52900; compiled by the project.',
)

/** A manufacturing process for one material type. */
export const Process = closed({
  code: Type.String({ description: 'Code of the process.', examples: ['pbf-metal'] }),
  name: Type.String({ description: 'Name of the process.', examples: ['Powder bed fusion of metal'] }),
  materialType: OneOf(MATERIAL_TYPES, { description: 'Material type of the process.', examples: ['metal'] }),
  technologyIds: Type.Array(Type.String({ description: 'Id of a technology.', examples: ['pbf-lb-m'] }), {
    description: 'Technologies of the process.',
    examples: [['pbf-lb-m', 'pbf-eb-m']],
  }),
})
export type Process = Static<typeof Process>

export const listProcesses = defineOperation({
  id: 'listProcesses',
  method: 'GET',
  path: '/v1/processes',
  tag,
  summary: 'List processes',
  description: 'The complete list in one response, ordered by code.',
  access: 'token',
  query: Type.Object({
    materialType: Type.Optional(
      Type.String({ description: 'Only processes for this material type; exact match.', examples: ['metal'] }),
    ),
  }),
  response: ItemsOf(Process),
  etag: true,
})

export const getProcess = defineOperation({
  id: 'getProcess',
  method: 'GET',
  path: '/v1/processes/{code}',
  tag,
  summary: 'Get a process',
  description: 'An unknown id is 404.',
  access: 'token',
  params: pathParam('code', 'Code of the process.', 'pbf-metal'),
  response: Process,
  etag: true,
})

export const batchGetProcesses = defineOperation({
  id: 'batchGetProcesses',
  method: 'POST',
  path: '/v1/processes:batch-get',
  tag,
  summary: 'Get processes by code',
  description: 'Up to 100, in the order requested, each once. Unknown and inaccessible ones are omitted.',
  access: 'token',
  body: BatchOf('codes', ['pbf-metal', 'milling-metal']),
  response: ItemsOf(Process),
})
