import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import type { Sql } from '../../kit/db/client.ts'
import { Streamed } from '../../kit/http/stream.ts'
import type { KeyedSemaphore } from '../../kit/limits/keyed-semaphore.ts'
import { NEWEST, type TimeKey } from '../../kit/pagination/keysets.ts'
import { entryOf } from './entries.ts'
import { findKeys, type Search, searchFor } from './list.ts'
import { listEntries } from './queries.ts'

/** Entries of one batch; no transaction is open between two batches. */
const BATCH_ENTRIES = 500

interface ExportRequest {
  orgId: string
  filters: AuditFilters
  /** Throws when the caller's access was revoked during the export. */
  recheck(): Promise<void>
}

interface Deps {
  sql: Sql
  permits: KeyedSemaphore
  clock: () => number
}

/** Exports the entries that match the filters, one line each, at the speed of the client. */
export function createExporter({ sql, permits, clock }: Deps) {
  async function* linesOf(search: Search, { orgId, recheck }: ExportRequest) {
    const release = permits.acquire(orgId)
    try {
      let before: TimeKey | undefined = NEWEST
      while (before) {
        const keys: readonly TimeKey[] = await findKeys(sql, orgId, search, { before, limit: BATCH_ENTRIES })
        const rows = keys.length === 0 ? [] : await listEntries(sql, orgId, keys)
        yield rows.map((row) => `${JSON.stringify(entryOf(row))}\n`).join('')
        before = keys.length < BATCH_ENTRIES ? undefined : keys.at(-1)
        if (before) await recheck()
      }
    } finally {
      release()
    }
  }

  return async (request: ExportRequest): Promise<Streamed> => {
    const lines = linesOf(
      await searchFor(sql, request.orgId, request.filters, new Date(clock()).toISOString()),
      request,
    )
    // An error in the first batch can still be answered with its status.
    let first: IteratorResult<string, unknown> | undefined = await lines.next()
    const chunks = {
      async next() {
        const chunk = first ?? (await lines.next())
        first = undefined
        return chunk
      },
      return: () => lines.return(),
    }
    return new Streamed(chunks, 'application/x-ndjson', {
      'content-disposition': 'attachment; filename="audit-log.ndjson"',
    })
  }
}
