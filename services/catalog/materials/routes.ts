import { Elysia } from 'elysia'
import { batchGetMaterials, getMaterial, listMaterials } from '../../../proto/http/catalog/materials.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Materials, by code. */
export const materialRoutes = ({ http, stores: { materials } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.materials' })
    .use(http.route(listMaterials, ({ query }) => materials.page(query, { type: query.type })))
    .use(http.route(getMaterial, ({ params }) => materials.one(params.code)))
    .use(http.route(batchGetMaterials, ({ body }) => materials.batch(body.codes)))
