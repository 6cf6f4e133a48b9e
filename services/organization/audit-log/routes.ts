import { exportAuditLog, getAuditLogEntry, listAuditLog } from '../../../proto/http/organization/audit-log.ts'
import type { Pool } from '../../kit/db/client.ts'
import { pageOf, windowOf } from '../../kit/http/pages.ts'
import { notFound } from '../../kit/http/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import { entryDetailOf, entryOf } from './entries.ts'
import { createExporter } from './export.ts'
import { LongReads } from './long-reads.ts'
import { findEntry, listEntries } from './queries.ts'
import { findPageOfKeys, searchFor } from './search.ts'

export const auditLogRoutes = ({ http, sql }: { http: Http; sql: Pool }) => {
  const reads = new LongReads()
  const exportEntries = createExporter(sql, reads)
  return http
    .routes()
    .on(listAuditLog, async ({ caller, query, request }) => {
      const search = await searchFor(sql, caller.orgId, query)
      const keys = await findPageOfKeys({ sql, reads }, caller.orgId, search, {
        ...windowOf(query),
        signal: request.signal,
      })
      const { items, hasMore } = pageOf(keys, query)
      const rows = items.length === 0 ? [] : await listEntries(sql, caller.orgId, items)
      return { items: rows.map(entryOf), hasMore }
    })
    .on(getAuditLogEntry, async ({ caller, params }) => {
      const [entry] = await findEntry(sql, caller.orgId, params.id)
      if (!entry) throw notFound()
      return entryDetailOf(entry)
    })
    .on(exportAuditLog, ({ caller, query, recheck }) => exportEntries({ orgId: caller.orgId, filters: query, recheck }))
}
