import { batchGetMaterials, getMaterial, listMaterials } from '../../../proto/http/catalog/materials.ts'
import type { CatalogDeps } from '../memory/library.ts'

/** Materials, by code. */
export const materialRoutes = ({ http, shelves: { materials } }: CatalogDeps) =>
  http
    .routes()
    .on(listMaterials, ({ query }) => materials.page(query, { type: query.type }))
    .on(getMaterial, ({ params }) => materials.one(params.code))
    .on(batchGetMaterials, ({ body }) => materials.batch(body.codes))
