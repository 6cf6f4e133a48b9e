import { Elysia } from 'elysia'
import { batchGetCriticalities, getCriticality, listCriticalities } from '../../../proto/http/catalog/criticalities.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Criticalities: the levels of the criticality schemes. */
export const criticalityRoutes = ({ http, stores: { criticalities } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.criticalities' })
    .use(http.route(listCriticalities, ({ query: { governingBody } }) => criticalities.all({ governingBody })))
    .use(http.route(getCriticality, ({ params }) => criticalities.one(params.id)))
    .use(http.route(batchGetCriticalities, ({ body }) => criticalities.batch(body.ids)))
