import { Elysia } from 'elysia'
import { exportAuditLog, getAuditLogEntry, listAuditLog } from '../../../proto/http/organization/audit-log.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { pageOf } from '../../kit/http/pages.ts'
import { TenantSemaphore } from '../../kit/limits/tenant-semaphore.ts'
import { keyAt, positioned } from '../../kit/pages/entries.ts'
import type { Pages } from '../../kit/pages/pages.ts'
import { entryDetailOf, entryOf } from './entries.ts'
import { createExporter } from './export.ts'
import { findEntry, listEntries } from './queries.ts'
import { findPageOfKeys, searchFor } from './search.ts'

/** Exports, which go on for as long as a client reads, and pages far on: nobody's slow readers keep others waiting. */
const LONG_READS = { what: 'exports and pages far on', permits: 16, permitsPerTenant: 2 }

export const auditLogRoutes = ({ http, pages, sql }: { http: Http; pages: Pages; sql: Pool }) => {
  const reads = new TenantSemaphore(LONG_READS)
  const exportEntries = createExporter(sql, reads)
  return new Elysia({ name: 'organization.audit-log' })
    .use(
      http.route(listAuditLog, async ({ caller, query, request }) => {
        const search = await searchFor(sql, caller.orgId, query)
        const keys = await pages.rows({ caller, list: 'auditLog', query }, async ({ after, ...window }) => {
          const wanted = { ...window, before: keyAt(after), signal: request.signal }
          return (await findPageOfKeys({ sql, reads }, caller.orgId, search, wanted)).map(positioned)
        })
        const { items, hasMore } = pageOf(keys, query)
        const rows = items.length === 0 ? [] : await listEntries(sql, caller.orgId, items)
        return { items: rows.map(entryOf), hasMore }
      }),
    )
    .use(
      http.route(getAuditLogEntry, async ({ caller, params }) =>
        entryDetailOf(found(await findEntry(sql, caller.orgId, params.id))),
      ),
    )
    .use(
      http.route(exportAuditLog, ({ caller, query, recheck }) =>
        exportEntries({ orgId: caller.orgId, filters: query, recheck }),
      ),
    )
}
