import { batchGetProcesses, getProcess, listProcesses } from '../../../proto/http/catalog/processes.ts'
import type { CatalogDeps } from '../memory/registry.ts'

/** Ways to make parts, by code. */
export const processRoutes = ({ http, stores: { processes } }: CatalogDeps) =>
  http
    .routes()
    .on(listProcesses, ({ query: { materialType } }) => processes.all({ materialType }))
    .on(getProcess, ({ params }) => processes.one(params.code))
    .on(batchGetProcesses, ({ body }) => processes.batch(body.codes))
