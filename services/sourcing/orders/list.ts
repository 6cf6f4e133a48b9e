import type { Sql } from '../../kit/db/client.ts'
import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { listOrders, type OrderListing, type OrderSearch, type ScannedOrder, scanOrders } from './list-queries.ts'

/** Number of orders that are scanned first, because those of a common text fill a page. */
const FIRST_SCAN = 2000
/** Orders that one statement of a long search scans. A search can end between two statements. */
const LONG_SCAN = 10_000

/** A page of the list. */
export async function findPage(
  deps: PageReads,
  reader: Reader,
  { q, ...listing }: OrderListing & { q?: string | undefined },
): Promise<readonly DocumentRow[]> {
  if (q !== undefined) return findMatches(deps, reader, { ...listing, q })
  const { offset, state, partId, factoryId, rfqId } = listing
  // An RFQ has few orders, so the other filters cost nothing.
  const cost = { offset, filters: rfqId === undefined ? [state, partId, factoryId] : [] }
  return readPage(deps, reader, cost, (sql) => listOrders(sql, reader.orgId, listing))
}

/** What a search has found, and where it continues. */
interface Progress {
  found: readonly DocumentRow[]
  /** Matches that are still to be skipped. */
  offset: number
  after: string | undefined
  isComplete: boolean
}

/** The newest orders are scanned first, and all others only where these do not fill the page. */
async function findMatches({ tenantReads }: PageReads, reader: Reader, search: OrderSearch) {
  const start: Progress = { found: [], offset: search.offset, after: search.after, isComplete: false }
  const first = await tenantReads.bounded(reader, (sql) => scanNext(sql, reader.orgId, search, start, FIRST_SCAN))
  if (first.isComplete) return first.found
  return tenantReads.long(reader, async (sql) => {
    let progress = first
    while (!progress.isComplete) {
      reader.signal.throwIfAborted()
      progress = await scanNext(sql, reader.orgId, search, progress, LONG_SCAN)
    }
    return progress.found
  })
}

async function scanNext(
  sql: Sql,
  orgId: string,
  search: OrderSearch,
  { found, offset, after }: Progress,
  count: number,
): Promise<Progress> {
  const rows = await scanOrders(sql, orgId, { ...search, after, offset, limit: search.limit - found.length }, count)
  const { scanned, matches, last } = rows[0] as ScannedOrder
  const all = [...found, ...rows.filter((row) => row.position !== null)]
  return {
    found: all,
    offset: Math.max(0, offset - matches),
    after: last ?? after,
    isComplete: all.length === search.limit || scanned < count,
  }
}
