import { Elysia } from 'elysia'
import { exportAuditLog, getAuditLogEntry, listAuditLog } from '../../../proto/http/organization/audit-log.ts'
import { found } from '../../kit/errors/refusal.ts'
import { createExporter } from '../../kit/http/exports.ts'
import { positionOfTime } from '../../kit/pagination/keysets.ts'
import { search } from '../../kit/pagination/search.ts'
import type { Kit } from '../../kit/service/service.ts'
import { entryDetailOf, entryOf } from './entries.ts'
import { linesOf } from './export.ts'
import { searchFor } from './list.ts'
import { findEntry, listEntries } from './queries.ts'

export const auditLogRoutes = ({
  http,
  pagination,
  sql,
  observeConcurrency,
}: Pick<Kit, 'http' | 'pagination' | 'sql' | 'observeConcurrency'>) => {
  const exported = createExporter(observeConcurrency)
  return new Elysia({ name: 'organization.audit-log' })
    .use(
      http.route(listAuditLog, async (context) => {
        const { caller, query, now, read, longRead } = context
        const wanted = await longRead((log) => searchFor(log, caller.orgId, query, now))
        const { items, hasMore } = await pagination.page(
          context,
          'auditLog',
          (window) => search(context, wanted, window),
          positionOfTime,
        )
        const rows = items.length === 0 ? [] : await read((log) => listEntries(log, caller.orgId, items))
        return { items: rows.map(entryOf), hasMore }
      }),
    )
    .use(
      http.route(getAuditLogEntry, async ({ caller, params, read }) =>
        entryDetailOf(found(await read((entries) => findEntry(entries, caller.orgId, params.id)))),
      ),
    )
    .use(
      http.route(exportAuditLog, ({ caller: { orgId }, query: filters, now, recheck }) =>
        exported(orgId, linesOf(sql, { orgId, filters, now, recheck }), {
          mediaType: 'application/x-ndjson',
          name: 'audit-log.ndjson',
        }),
      ),
    )
}
