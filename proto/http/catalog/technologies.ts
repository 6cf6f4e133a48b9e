import { type Static, Type } from '@sinclair/typebox'
import { catalogReads } from '../catalog-reads.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, OneOf, PageOf, pageQuery, Search } from '../shapes.ts'
import { PROCESS_FAMILIES, PRODUCTION_PROCESS_TYPES } from './enums.ts'

const tag = defineTag(
  'Technologies',
  'Production technologies, with codes of ISO/ASTM 52900 where available; compiled by the project.',
)

export const Technology = closed({
  id: Type.String({ description: 'Id of the technology.', examples: ['pbf-lb-m'] }),
  code: Type.String({ description: 'Code of the technology.', examples: ['PBF-LB/M'] }),
  label: Type.String({ description: 'Name of the technology.', examples: ['Laser powder bed fusion of metal'] }),
  acronyms: Type.Array(Type.String({ description: 'An acronym.', examples: ['LPBF'] }), {
    description: 'Acronyms of the technology.',
    examples: [['LPBF', 'SLM', 'DMLS']],
  }),
  productionProcessType: OneOf(PRODUCTION_PROCESS_TYPES, {
    description: 'Type of the production process.',
    examples: ['additive_manufacturing'],
  }),
  processFamily: Type.Optional(
    OneOf(PROCESS_FAMILIES, {
      description: 'Process family of ISO/ASTM 52900, if any.',
      examples: ['PBF'],
    }),
  ),
})
export type Technology = Static<typeof Technology>

const reads = catalogReads({
  path: '/v1/technologies',
  tag,
  key: 'id',
  keyOf: 'Id of the technology.',
  examples: ['pbf-lb-m', 'mill-5'],
  response: Technology,
})

export const listTechnologies = defineOperation({
  ...reads.list,
  id: 'listTechnologies',
  summary: 'List technologies',
  description: 'Ordered by code. Filters can be combined.',
  query: Type.Object({
    ...pageQuery,
    productionProcessType: Type.Optional(
      Type.String({
        description: 'Only technologies of this production process type; exact match.',
        examples: ['additive_manufacturing'],
      }),
    ),
    search: Type.Optional(Search('Case-insensitive substring of the label, the code or an acronym.', 'slm')),
  }),
  response: PageOf(Technology),
})

export const getTechnology = defineOperation({ ...reads.get, id: 'getTechnology', summary: 'Get a technology' })

export const batchGetTechnologies = defineOperation({
  ...reads.batchGet,
  id: 'batchGetTechnologies',
  summary: 'Get technologies by id',
})
