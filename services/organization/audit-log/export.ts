import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import type { Sql } from '../../kit/db/client.ts'
import { positionOfTime } from '../../kit/pagination/keysets.ts'
import { findNear } from '../../kit/pagination/search.ts'
import { entryOf } from './entries.ts'
import { searchFor } from './list.ts'
import { listEntries } from './queries.ts'

/** Entries of one batch; no transaction is open between two batches. */
const BATCH_ENTRIES = 500

interface ExportRequest {
  orgId: string
  filters: AuditFilters
  now: string
  /** Throws when the caller's access was revoked during the export. */
  recheck(): Promise<void>
}

/** The entries that match the filters, one line each, in batches. */
export async function* linesOf(
  sql: Sql,
  { orgId, filters, now, recheck }: ExportRequest,
): AsyncGenerator<string, void> {
  const search = await searchFor(sql, orgId, filters, now)
  let after: string | undefined
  do {
    const { rows: keys } = await findNear(sql, search, { after, offset: 0, limit: BATCH_ENTRIES })
    const entries = keys.length === 0 ? [] : await listEntries(sql, orgId, keys)
    yield entries.map((entry) => `${JSON.stringify(entryOf(entry))}\n`).join('')
    const last = keys[BATCH_ENTRIES - 1]
    after = last && positionOfTime(last)
    if (after) await recheck()
  } while (after)
}
