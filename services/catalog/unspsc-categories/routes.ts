import {
  batchGetUnspscCategories,
  getUnspscCategory,
  listUnspscCategories,
} from '../../../proto/http/catalog/unspsc-categories.ts'
import type { CatalogDeps } from '../memory/library.ts'

/** Segments, families, classes and commodities of the UNSPSC. */
export const unspscCategoryRoutes = ({ http, shelves }: CatalogDeps) => {
  const shelf = shelves['unspsc-categories']
  return http
    .routes()
    .on(listUnspscCategories, ({ query }) => shelf.page(query, { level: query.level }, query.search))
    .on(getUnspscCategory, ({ params }) => shelf.one(params.id))
    .on(batchGetUnspscCategories, ({ body }) => shelf.batch(body.ids))
}
