import { Elysia } from 'elysia'
import { exportParts, getPartImportTemplate, importParts } from '../../../proto/http/sourcing/part-imports.ts'
import type { Pool } from '../../kit/db/client.ts'
import { createExporter } from '../../kit/http/exports.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import type { ObserveConcurrency } from '../../kit/metrics/concurrency.ts'
import * as commands from './commands.ts'
import { tableOf, template } from './export.ts'

const FILE = { mediaType: 'text/csv; charset=utf-8', name: 'parts.csv' }

interface Deps {
  http: Http
  sql: Pool
  observeConcurrency: ObserveConcurrency
}

export const partImportRoutes = ({ http, sql, observeConcurrency }: Deps) => {
  const exported = createExporter(observeConcurrency)
  return new Elysia({ name: 'sourcing.part-imports' })
    .use(http.command(importParts, commands.importParts))
    .use(
      http.route(
        getPartImportTemplate,
        () => new Raw(template(), FILE.mediaType, { 'content-disposition': `attachment; filename="${FILE.name}"` }),
      ),
    )
    .use(
      http.route(exportParts, ({ caller: { orgId }, recheck }) =>
        exported(orgId, tableOf(sql, { orgId, recheck }), FILE),
      ),
    )
}
