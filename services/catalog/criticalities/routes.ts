import { batchGetCriticalities, getCriticality, listCriticalities } from '../../../proto/http/catalog/criticalities.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** The levels of the criticality schemes. */
export const criticalityRoutes = ({ http, stores: { criticalities } }: CatalogDeps) =>
  http
    .routes()
    .on(listCriticalities, ({ query: { governingBody } }) => criticalities.all({ governingBody }))
    .on(getCriticality, ({ params }) => criticalities.one(params.id))
    .on(batchGetCriticalities, ({ body }) => criticalities.batch(body.ids))
