import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, PageOf, pageQuery, pathParam, Search } from '../shapes.ts'

const tag = defineTag(
  'Categories',
  'Equipment classes in two trees. Group numbers and names follow the SFI Group System (SpecTec) and the equipment classes of ISO 14224; descriptions are our own.',
)

/** An equipment class in one of the trees. */
export const Category = closed({
  id: Type.String({ description: 'Id of the category.', examples: ['iso-14224-pu'] }),
  name: Type.String({ description: 'Name of the equipment class.', examples: ['Pumps'] }),
  code: Type.Optional(
    Type.String({ description: 'Its code in the scheme it comes from; absent for a mere heading.', examples: ['PU'] }),
  ),
  description: Type.Optional(
    Type.String({ description: 'What belongs to it.', examples: ['Centrifugal, reciprocating and rotary pumps.'] }),
  ),
  parentId: Type.Optional(
    Type.String({ description: 'Id of the category above it; absent for a root.', examples: ['iso-14224-rotating'] }),
  ),
  hasChildren: Type.Boolean({ description: 'True when there are categories below it.', examples: [false] }),
})
export type Category = Static<typeof Category>

export const listCategories = defineOperation({
  id: 'listCategories',
  method: 'GET',
  path: '/v1/categories',
  tag,
  summary: 'List categories',
  description: 'Ordered by code, or by id where a category has no code.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    topLevel: Type.Optional(
      Type.Boolean({
        description: 'Roots only; `false` is as if not sent. Refused together with `parentId`, whatever the values.',
        examples: [true],
      }),
    ),
    parentId: Type.Optional(
      Type.String({ description: 'Direct children of this category.', examples: ['iso-14224-rotating'] }),
    ),
    search: Type.Optional(Search('Part of the name or the description, whatever the case.', 'pump')),
  }),
  response: PageOf(Category),
  etag: true,
})

export const getCategory = defineOperation({
  id: 'getCategory',
  method: 'GET',
  path: '/v1/categories/{id}',
  tag,
  summary: 'Get a category',
  access: 'token',
  params: pathParam('id', 'Id of the category.', 'iso-14224-pu'),
  response: Category,
  etag: true,
})

export const batchGetCategories = defineOperation({
  id: 'batchGetCategories',
  method: 'POST',
  path: '/v1/categories:batch-get',
  tag,
  summary: 'Get categories by id',
  access: 'token',
  body: BatchOf('ids', ['iso-14224-pu', 'sfi-601001']),
  response: ItemsOf(Category),
})
