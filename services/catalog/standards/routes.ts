import { Elysia } from 'elysia'
import { batchGetStandards, getStandard, listStandards } from '../../../proto/http/catalog/standards.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Standards, by code. */
export const standardRoutes = ({ http, stores: { standards } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.standards' })
    .use(
      http.route(listStandards, ({ query: { governingBody, materialType } }) =>
        standards.all({ governingBody, materialType }),
      ),
    )
    .use(http.route(getStandard, ({ params }) => standards.one(params.code)))
    .use(http.route(batchGetStandards, ({ body }) => standards.batch(body.codes)))
