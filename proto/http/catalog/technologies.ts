import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, OneOf, PageOf, pageQuery, pathParam, Search } from '../shapes.ts'
import { PROCESS_FAMILIES, PRODUCTION_PROCESS_TYPES } from './words.ts'

const tag = defineTag(
  'Technologies',
  'Production technologies with the codes of ISO/ASTM 52900 where it has one; compiled by the project.',
)

export const Technology = closed({
  id: Type.String({ description: 'Id of the technology.', examples: ['pbf-lb-m'] }),
  code: Type.String({ description: 'Its printed code.', examples: ['PBF-LB/M'] }),
  label: Type.String({ description: 'Its name.', examples: ['Laser powder bed fusion of metal'] }),
  acronyms: Type.Array(Type.String({ description: 'An acronym.', examples: ['LPBF'] }), {
    description: 'What else it is called.',
    examples: [['LPBF', 'SLM', 'DMLS']],
  }),
  productionProcessType: OneOf(PRODUCTION_PROCESS_TYPES, {
    description: 'How it makes parts.',
    examples: ['additive_manufacturing'],
  }),
  processFamily: Type.Optional(
    OneOf(PROCESS_FAMILIES, {
      description: 'Process family of ISO/ASTM 52900, where it belongs to one.',
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
  description: 'Ordered by code. Filters combine.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    productionProcessType: Type.Optional(
      Type.String({
        description: 'Only those of this production process type, matched exactly.',
        examples: ['additive_manufacturing'],
      }),
    ),
    search: Type.Optional(Search('Part of the label, the code or an acronym, whatever the case.', 'slm')),
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
  access: 'token',
  body: BatchOf('ids', ['pbf-lb-m', 'mill-5']),
  response: ItemsOf(Technology),
})
