import { Elysia } from 'elysia'
import { batchGetTechnologies, getTechnology, listTechnologies } from '../../../proto/http/catalog/technologies.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Production technologies, by id. */
export const technologyRoutes = ({ http, stores: { technologies } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.technologies' })
    .use(
      http.route(listTechnologies, ({ query }) => {
        const { productionProcessType, search } = query
        return technologies.page(query, { productionProcessType }, search)
      }),
    )
    .use(http.route(getTechnology, ({ params }) => technologies.one(params.id)))
    .use(http.route(batchGetTechnologies, ({ body }) => technologies.batch(body.ids)))
