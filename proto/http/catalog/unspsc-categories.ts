import { type Static, Type } from '@sinclair/typebox'
import { catalogReads } from '../catalog-reads.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Int32, PageOf, pageQuery, Search } from '../shapes.ts'

const tag = defineTag(
  'UNSPSC categories',
  'Shipped: the UNSPSC Reference of the O*NET database by the U.S. Department of Labor, Employment and Training Administration (USDOL/ETA), used under the CC BY 4.0 licence; arranged by level. An operator can import the full, licensed UNSPSC instead.',
)

const code = (description: string, example: string) => Type.String({ description, examples: [example] })

/** A segment, family, class or commodity of the UNSPSC, with the levels above it. */
export const UnspscCategory = closed({
  id: code('8-digit code, padded with zeros.', '31161610'),
  level: Type.Integer({
    minimum: 1,
    maximum: 4,
    description: 'Level: 1 segment, 2 family, 3 class, 4 commodity.',
    examples: [4],
  }),
  label: code('Title of the category.', 'Eye bolts'),
  segmentNumber: code('Code of the segment.', '31000000'),
  segmentTitle: code('Title of the segment.', 'Manufacturing Components and Supplies'),
  familyNumber: Type.Optional(code('Code of the family, from level 2.', '31160000')),
  familyTitle: Type.Optional(code('Title of the family, from level 2.', 'Hardware')),
  classNumber: Type.Optional(code('Code of the class, from level 3.', '31161600')),
  classTitle: Type.Optional(code('Title of the class, from level 3.', 'Bolts')),
  commodityNumber: Type.Optional(code('Code of the commodity, at level 4.', '31161610')),
  commodityTitle: Type.Optional(code('Title of the commodity, at level 4.', 'Eye bolts')),
})
export type UnspscCategory = Static<typeof UnspscCategory>

const reads = catalogReads({
  path: '/v1/unspsc-categories',
  tag,
  key: 'id',
  keyOf: 'Id of the category: its 8-digit code.',
  examples: ['31161610', '31000000'],
  response: UnspscCategory,
})

export const listUnspscCategories = defineOperation({
  ...reads.list,
  id: 'listUnspscCategories',
  summary: 'List UNSPSC categories',
  description: 'Ordered by id. Filters can be combined.',
  query: Type.Object({
    ...pageQuery,
    level: Type.Optional(
      Int32('Only categories of this level: 1 segment to 4 commodity. Any other level returns none.', 4, {
        minimum: -2_147_483_648,
        maximum: 2_147_483_647,
      }),
    ),
    search: Type.Optional(
      Search(
        'Case-insensitive substring of the label, or of any number or title of the segment, family, class or commodity.',
        'bolt',
      ),
    ),
  }),
  response: PageOf(UnspscCategory),
})

export const getUnspscCategory = defineOperation({
  ...reads.get,
  id: 'getUnspscCategory',
  summary: 'Get a UNSPSC category',
})

export const batchGetUnspscCategories = defineOperation({
  ...reads.batchGet,
  id: 'batchGetUnspscCategories',
  summary: 'Get UNSPSC categories by id',
})
