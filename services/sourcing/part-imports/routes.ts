import { Elysia } from 'elysia'
import { exportParts, getPartImportTemplate, importParts } from '../../../proto/http/sourcing/part-imports.ts'
import type { Pool } from '../../kit/db/client.ts'
import { createExporter } from '../../kit/http/exports.ts'
import type { Http } from '../../kit/http/http.ts'
import { CSV, csvFile } from '../../kit/http/raw.ts'
import type { ObserveConcurrency } from '../../kit/metrics/concurrency.ts'
import * as commands from './commands.ts'
import { tableOf, template } from './export.ts'

const NAME = 'parts.csv'

interface Deps {
  http: Http
  sql: Pool
  observeConcurrency: ObserveConcurrency
}

export const partImportRoutes = ({ http, sql, observeConcurrency }: Deps) => {
  const exported = createExporter(observeConcurrency)
  return new Elysia({ name: 'sourcing.part-imports' })
    .use(http.command(importParts, commands.importParts))
    .use(http.route(getPartImportTemplate, () => csvFile(NAME, template())))
    .use(
      http.route(exportParts, ({ caller: { orgId }, recheck }) =>
        exported(orgId, tableOf(sql, { orgId, recheck }), { mediaType: CSV, name: NAME }),
      ),
    )
}
