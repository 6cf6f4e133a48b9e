import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import type { Sql } from '../../kit/db/client.ts'
import { Streamed } from '../../kit/http/stream.ts'
import type { TenantSemaphore } from '../../kit/limits/tenant-semaphore.ts'
import type { EntryKey } from '../../kit/pages/entries.ts'
import { NEWEST } from '../../kit/pages/entries.ts'
import { entryOf } from './entries.ts'
import { listEntries } from './queries.ts'
import { findKeys, type Search, searchFor } from './search.ts'

/** Entries that are read at once; no transaction is open between one batch and the next. */
const BATCH = 500

export interface Export {
  orgId: string
  filters: AuditFilters
  /** Throws when the caller may not read on: an export can take longer than a revocation may. */
  recheck(): Promise<void>
}

/** Exports the entries that filters name, one line each, as quickly as the client takes them. */
export function createExporter(sql: Sql, reads: TenantSemaphore) {
  async function* linesOf(search: Search, { orgId, recheck }: Export) {
    const release = reads.acquire(orgId)
    try {
      let before: EntryKey | undefined = NEWEST
      while (before) {
        const keys: EntryKey[] = await findKeys(sql, orgId, search, { before, limit: BATCH })
        const rows = keys.length === 0 ? [] : await listEntries(sql, orgId, keys)
        yield rows.map((row) => `${JSON.stringify(entryOf(row))}\n`).join('')
        before = keys.length < BATCH ? undefined : keys.at(-1)
        if (before) await recheck()
      }
    } finally {
      release()
    }
  }

  return async (asked: Export): Promise<Streamed> => {
    const lines = linesOf(await searchFor(sql, asked.orgId, asked.filters), asked)
    // The first batch before the answer begins: what is wrong with it can still be told.
    let first: IteratorResult<string, unknown> | undefined = await lines.next()
    const pieces = {
      async next() {
        const piece = first ?? (await lines.next())
        first = undefined
        return piece
      },
      return: () => lines.return(),
    }
    return new Streamed(pieces, 'application/x-ndjson', {
      'content-disposition': 'attachment; filename="audit-log.ndjson"',
    })
  }
}
