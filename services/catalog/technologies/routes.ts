import { batchGetTechnologies, getTechnology, listTechnologies } from '../../../proto/http/catalog/technologies.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Production technologies. */
export const technologyRoutes = ({ http, stores: { technologies } }: CatalogDeps) =>
  http
    .routes()
    .on(listTechnologies, ({ query }) => {
      const { productionProcessType, search } = query
      return technologies.page(query, { productionProcessType }, search)
    })
    .on(getTechnology, ({ params }) => technologies.one(params.id))
    .on(batchGetTechnologies, ({ body }) => technologies.batch(body.ids))
