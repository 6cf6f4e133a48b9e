import { batchGetCategories, getCategory, listCategories } from '../../../proto/http/catalog/categories.ts'
import { invalid } from '../../kit/errors/refusal.ts'
import type { CatalogDeps } from '../memory/registry.ts'
import { parentWanted } from './rules.ts'

/** The trees of equipment classes. */
export const categoryRoutes = ({ http, stores: { categories } }: CatalogDeps) =>
  http
    .routes()
    .on(listCategories, ({ query }) => {
      const wanted = parentWanted(query)
      if ('errors' in wanted) throw invalid(wanted.errors)
      return categories.page(query, wanted, query.search)
    })
    .on(getCategory, ({ params }) => categories.one(params.id))
    .on(batchGetCategories, ({ body }) => categories.batch(body.ids))
