import type { Sql } from '../../kit/db/client.ts'
import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { listOrders, type OrderListing, type OrderSearch, type ScannedOrder, scanOrders } from './list-queries.ts'

/** Number of orders that are scanned first, because those of a common text fill a page. */
const FIRST_SCAN = 2000
/** Orders that one statement of a long search scans. A search can end between two statements. */
const LONG_SCAN = 10_000

/** A page of the list. */
export async function findPage(
  context: ReadContext,
  read: RequestReads['read'],
  { q, ...listing }: OrderListing & { q?: string | undefined },
): Promise<readonly DocumentRow[]> {
  if (q !== undefined) return findMatches(context, { ...listing, q })
  return read((sql) => listOrders(sql, context.caller.orgId, listing))
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
async function findMatches({ caller, request, longRead }: ReadContext, search: OrderSearch) {
  const start: Progress = { found: [], offset: search.offset, after: search.after, isComplete: false }
  const first = await longRead((sql) => scanNext(sql, caller.orgId, search, start, FIRST_SCAN))
  if (first.isComplete) return first.found
  return longRead(async (sql) => {
    let progress = first
    while (!progress.isComplete) {
      request.signal.throwIfAborted()
      progress = await scanNext(sql, caller.orgId, search, progress, LONG_SCAN)
    }
    return progress.found
  }, 'seconds')
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
