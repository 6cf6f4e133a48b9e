import { type Static, Type } from '@sinclair/typebox'
import { catalogReads } from '../catalog-reads.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, ItemsOf, OneOf } from '../shapes.ts'
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

const reads = catalogReads({
  path: '/v1/processes',
  tag,
  key: 'code',
  keyOf: 'Code of the process.',
  examples: ['pbf-metal', 'milling-metal'],
  response: Process,
})

export const listProcesses = defineOperation({
  ...reads.list,
  id: 'listProcesses',
  summary: 'List processes',
  description: 'The complete list in one response, ordered by code.',
  query: Type.Object({
    materialType: Type.Optional(
      Type.String({ description: 'Only processes for this material type; exact match.', examples: ['metal'] }),
    ),
  }),
  response: ItemsOf(Process),
})

export const getProcess = defineOperation({ ...reads.get, id: 'getProcess', summary: 'Get a process' })

export const batchGetProcesses = defineOperation({
  ...reads.batchGet,
  id: 'batchGetProcesses',
  summary: 'Get processes by code',
})
