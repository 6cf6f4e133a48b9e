import { Elysia } from 'elysia'
import {
  batchGetUnspscCategories,
  getUnspscCategory,
  listUnspscCategories,
} from '../../../proto/http/catalog/unspsc-categories.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Segments, families, classes and commodities of the UNSPSC. */
export const unspscCategoryRoutes = ({ http, stores }: CatalogDeps) => {
  const store = stores['unspsc-categories']
  return new Elysia({ name: 'catalog.unspsc-categories' })
    .use(http.route(listUnspscCategories, ({ query }) => store.page(query, { level: query.level }, query.search)))
    .use(http.route(getUnspscCategory, ({ params }) => store.one(params.id)))
    .use(http.route(batchGetUnspscCategories, ({ body }) => store.batch(body.ids)))
}
