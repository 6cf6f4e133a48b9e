import { Elysia } from 'elysia'
import { batchGetCategories, getCategory, listCategories } from '../../../proto/http/catalog/categories.ts'
import { invalid } from '../../kit/errors/refusal.ts'
import type { CatalogDeps } from '../memory/registry.ts'
import { parentFilter } from './rules.ts'

/** Categories: the trees of equipment classes. */
export const categoryRoutes = ({ http, stores: { categories } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.categories' })
    .use(
      http.route(listCategories, ({ query }) => {
        const filter = parentFilter(query)
        if ('errors' in filter) throw invalid(filter.errors)
        return categories.page(query, filter, query.search)
      }),
    )
    .use(http.route(getCategory, ({ params }) => categories.one(params.id)))
    .use(http.route(batchGetCategories, ({ body }) => categories.batch(body.ids)))
