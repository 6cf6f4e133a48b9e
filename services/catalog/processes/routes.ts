import { batchGetProcesses, getProcess, listProcesses } from '../../../proto/http/catalog/processes.ts'
import type { CatalogDeps } from '../memory/library.ts'

/** Ways to make parts, by code. */
export const processRoutes = ({ http, shelves: { processes } }: CatalogDeps) =>
  http
    .routes()
    .on(listProcesses, ({ query: { materialType } }) => processes.all({ materialType }))
    .on(getProcess, ({ params }) => processes.one(params.code))
    .on(batchGetProcesses, ({ body }) => processes.batch(body.codes))
