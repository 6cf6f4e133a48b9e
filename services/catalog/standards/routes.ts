import { batchGetStandards, getStandard, listStandards } from '../../../proto/http/catalog/standards.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Standards, by code. */
export const standardRoutes = ({ http, stores: { standards } }: CatalogDeps) =>
  http
    .routes()
    .on(listStandards, ({ query: { governingBody, materialType } }) => standards.all({ governingBody, materialType }))
    .on(getStandard, ({ params }) => standards.one(params.code))
    .on(batchGetStandards, ({ body }) => standards.batch(body.codes))
