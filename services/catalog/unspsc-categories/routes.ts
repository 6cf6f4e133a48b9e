import {
  batchGetUnspscCategories,
  getUnspscCategory,
  listUnspscCategories,
} from '../../../proto/http/catalog/unspsc-categories.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Segments, families, classes and commodities of the UNSPSC. */
export const unspscCategoryRoutes = ({ http, stores }: CatalogDeps) => {
  const store = stores['unspsc-categories']
  return http
    .routes()
    .on(listUnspscCategories, ({ query }) => store.page(query, { level: query.level }, query.search))
    .on(getUnspscCategory, ({ params }) => store.one(params.id))
    .on(batchGetUnspscCategories, ({ body }) => store.batch(body.ids))
}
