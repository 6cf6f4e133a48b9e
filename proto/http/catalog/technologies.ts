import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, OneOf, PageOf, pageQuery, pathParam, Search } from '../shapes.ts'
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

export const listTechnologies = defineOperation({
  id: 'listTechnologies',
  method: 'GET',
  path: '/v1/technologies',
  tag,
  summary: 'List technologies',
  description: 'Ordered by code. Filters can be combined.',
  access: 'token',
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
  etag: true,
})

export const getTechnology = defineOperation({
  id: 'getTechnology',
  method: 'GET',
  path: '/v1/technologies/{id}',
  tag,
  summary: 'Get a technology',
  description: 'An unknown id is 404.',
  access: 'token',
  params: pathParam('id', 'Id of the technology.', 'pbf-lb-m'),
  response: Technology,
  etag: true,
})

export const batchGetTechnologies = defineOperation({
  id: 'batchGetTechnologies',
  method: 'POST',
  path: '/v1/technologies:batch-get',
  tag,
  summary: 'Get technologies by id',
  description: 'Up to 100, in the order requested, each once. Unknown and inaccessible ones are omitted.',
  access: 'token',
  body: BatchOf('ids', ['pbf-lb-m', 'mill-5']),
  response: ItemsOf(Technology),
})
