import { Elysia } from 'elysia'
import { exportAuditLog, getAuditLogEntry, listAuditLog } from '../../../proto/http/organization/audit-log.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { ReadOnPool } from '../../kit/db/connections.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { KeyedSemaphore } from '../../kit/limits/keyed-semaphore.ts'
import type { ObserveConcurrency } from '../../kit/metrics/concurrency.ts'
import { positionOfTime, timeKeyAt } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { entryDetailOf, entryOf } from './entries.ts'
import { createExporter } from './export.ts'
import { findPageOfKeys, searchFor } from './list.ts'
import { findEntry, listEntries } from './queries.ts'

/** An export takes as long as its client reads. Each replica and each organization has a limit. */
const LONG_READS = { what: 'exports and pages with a high number', permits: 16, permitsPerKey: 2 }

interface Deps {
  http: Http
  pagination: Pagination
  sql: Pool
  readOnPool: ReadOnPool
  clock: () => number
  observeConcurrency: ObserveConcurrency
}

export const auditLogRoutes = ({ http, pagination, sql, readOnPool, clock, observeConcurrency }: Deps) => {
  const permits = new KeyedSemaphore(LONG_READS)
  observeConcurrency(permits)
  const exportEntries = createExporter({ sql, permits, clock })
  return new Elysia({ name: 'organization.audit-log' })
    .use(
      http.route(listAuditLog, ({ caller, query, request }) =>
        readOnPool(async (sql) => {
          const search = await searchFor(sql, caller.orgId, query, new Date(clock()).toISOString())
          const { items, hasMore } = await pagination.page(
            { caller, list: 'auditLog', query },
            ({ after, ...window }) => {
              const range = { ...window, before: timeKeyAt(after), signal: request.signal }
              return findPageOfKeys({ sql, permits }, caller.orgId, search, range)
            },
            positionOfTime,
          )
          const rows = items.length === 0 ? [] : await listEntries(sql, caller.orgId, items)
          return { items: rows.map(entryOf), hasMore }
        }),
      ),
    )
    .use(
      http.route(getAuditLogEntry, async ({ caller, params }) =>
        entryDetailOf(found(await readOnPool((sql) => findEntry(sql, caller.orgId, params.id)))),
      ),
    )
    .use(
      http.route(exportAuditLog, ({ caller, query, recheck }) =>
        exportEntries({ orgId: caller.orgId, filters: query, recheck }),
      ),
    )
}
