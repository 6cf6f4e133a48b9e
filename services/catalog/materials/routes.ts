import { batchGetMaterials, getMaterial, listMaterials } from '../../../proto/http/catalog/materials.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Materials, by code. */
export const materialRoutes = ({ http, stores: { materials } }: CatalogDeps) =>
  http
    .routes()
    .on(listMaterials, ({ query }) => materials.page(query, { type: query.type }))
    .on(getMaterial, ({ params }) => materials.one(params.code))
    .on(batchGetMaterials, ({ body }) => materials.batch(body.codes))
