import { Elysia } from 'elysia'
import { batchGetProcesses, getProcess, listProcesses } from '../../../proto/http/catalog/processes.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Manufacturing processes, by code. */
export const processRoutes = ({ http, stores: { processes } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.processes' })
    .use(http.route(listProcesses, ({ query: { materialType } }) => processes.all({ materialType })))
    .use(http.route(getProcess, ({ params }) => processes.one(params.code)))
    .use(http.route(batchGetProcesses, ({ body }) => processes.batch(body.codes)))
