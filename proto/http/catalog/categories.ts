import { type Static, Type } from '@sinclair/typebox'
import { catalogReads } from '../catalog-reads.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, PageOf, pageQuery, Search } from '../shapes.ts'

const tag = defineTag(
  'Categories',
  'Equipment classes in two trees. Group numbers and names follow the SFI Group System (SpecTec) and the equipment classes of ISO 14224; descriptions are our own.',
)

/** An equipment class in one of the trees. */
export const Category = closed({
  id: Type.String({ description: 'Id of the category.', examples: ['iso-14224-pu'] }),
  name: Type.String({ description: 'Name of the equipment class.', examples: ['Pumps'] }),
  code: Type.Optional(
    Type.String({ description: "Code in the category's scheme; absent for a heading.", examples: ['PU'] }),
  ),
  description: Type.Optional(
    Type.String({
      description: 'Content of the category.',
      examples: ['Centrifugal, reciprocating and rotary pumps.'],
    }),
  ),
  parentId: Type.Optional(
    Type.String({ description: 'Id of the parent category; absent for a root.', examples: ['iso-14224-rotating'] }),
  ),
  hasChildren: Type.Boolean({ description: 'Whether the category has children.', examples: [false] }),
})
export type Category = Static<typeof Category>

const reads = catalogReads({
  path: '/v1/categories',
  tag,
  key: 'id',
  keyOf: 'Id of the category.',
  examples: ['iso-14224-pu', 'sfi-601001'],
  response: Category,
})

export const listCategories = defineOperation({
  ...reads.list,
  id: 'listCategories',
  summary: 'List categories',
  description:
    'Ordered by code, or by id for categories without a code. `topLevel` and `parentId` exclude each other (400).',
  query: Type.Object({
    ...pageQuery,
    topLevel: Type.Optional(
      Type.Boolean({
        description: 'Only roots; `false` is ignored. Cannot be combined with `parentId`, even as `false`.',
        examples: [true],
      }),
    ),
    parentId: Type.Optional(
      Type.String({ description: 'Only direct children of this category.', examples: ['iso-14224-rotating'] }),
    ),
    search: Type.Optional(Search('Case-insensitive substring of the name or the description.', 'pump')),
  }),
  response: PageOf(Category),
})

export const getCategory = defineOperation({ ...reads.get, id: 'getCategory', summary: 'Get a category' })

export const batchGetCategories = defineOperation({
  ...reads.batchGet,
  id: 'batchGetCategories',
  summary: 'Get categories by id',
})
