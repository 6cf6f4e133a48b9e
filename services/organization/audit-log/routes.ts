import { Elysia } from 'elysia'
import { exportAuditLog, getAuditLogEntry, listAuditLog } from '../../../proto/http/organization/audit-log.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { KeyedSemaphore } from '../../kit/limits/keyed-semaphore.ts'
import type { ObserveConcurrency } from '../../kit/metrics/concurrency.ts'
import { positionOfTime, timeKeyAt } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { entryDetailOf, entryOf } from './entries.ts'
import { createExporter } from './export.ts'
import { findPageOfKeys, isFiltered, searchFor } from './list.ts'
import { findEntry, listEntries } from './queries.ts'

/** An export takes as long as its client reads. Each replica and each organization has a limit. */
const EXPORTS = { what: 'exports', permits: 16, permitsPerKey: 2 }

interface Deps {
  http: Http
  pagination: Pagination
  sql: Pool
  clock: () => number
  observeConcurrency: ObserveConcurrency
}

export const auditLogRoutes = ({ http, pagination, sql, clock, observeConcurrency }: Deps) => {
  const permits = new KeyedSemaphore(EXPORTS)
  observeConcurrency(permits)
  const exportEntries = createExporter({ sql, permits, clock })
  return new Elysia({ name: 'organization.audit-log' })
    .use(
      http.route(listAuditLog, async (context) => {
        const { caller, query, request, now, read } = context
        const { items, hasMore } = await pagination.page(
          context,
          { name: 'auditLog', isMerged: isFiltered(query) },
          ({ after, ...window }, readKeys) =>
            readKeys(async (log) => {
              const search = await searchFor(log, caller.orgId, query, now)
              const range = { ...window, before: timeKeyAt(after), signal: request.signal }
              return findPageOfKeys(log, caller.orgId, search, range)
            }),
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
      http.route(exportAuditLog, ({ caller, query, recheck }) =>
        exportEntries({ orgId: caller.orgId, filters: query, recheck }),
      ),
    )
}
