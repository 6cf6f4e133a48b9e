import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import type { Sql } from '../../kit/db/client.ts'
import { Streamed } from '../../kit/http/stream.ts'
import type { KeyedSemaphore } from '../../kit/limits/keyed-semaphore.ts'
import { positionOfTime, type TimeKey } from '../../kit/pagination/keysets.ts'
import { findNear, type Search } from '../../kit/pagination/search.ts'
import { entryOf } from './entries.ts'
import { searchFor } from './list.ts'
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
  async function* linesOf(search: Search<TimeKey>, { orgId, recheck }: ExportRequest) {
    const release = permits.acquire(orgId)
    try {
      let after: string | undefined
      do {
        const { rows: keys } = await findNear(sql, search, { after, offset: 0, limit: BATCH_ENTRIES })
        const entries = keys.length === 0 ? [] : await listEntries(sql, orgId, keys)
        yield entries.map((entry) => `${JSON.stringify(entryOf(entry))}\n`).join('')
        const last = keys[BATCH_ENTRIES - 1]
        after = last && positionOfTime(last)
        if (after) await recheck()
      } while (after)
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
