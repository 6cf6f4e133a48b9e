import type { Sql } from '../../kit/db/client.ts'
import { hasTrigram } from '../../kit/db/like.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { type CandidateRow, filterCandidates, listHolders, scanUsers } from './list-queries.ts'
import { isUnfiltered, splitAuthority, type UserFilters, type Viewer } from './rules.ts'

/** Holders or users that are filtered before an index of matches is read. They fill a page of a common filter. */
const MAX_FILTERED = 2000
/** Matches that are sorted faster than the users of a large organization are scanned. */
const MAX_MATCHES = 10_000

/**
 * Every strategy finds the same page:
 * - `listHolders`: a role or permission alone;
 * - `filterCandidates`: pages near the start, among the first holders of a role or permission, or among the users that
 *   the trigram index finds;
 * - `scanUsers`: all users in the order of the list, up to the end of the page. Of 100,000 users that takes 20 to 60
 *   ms, and 50 ms more for each role or permission that most of them hold.
 */
export async function findUsers(
  sql: Sql,
  viewer: Viewer,
  filters: UserFilters,
  window: PageWindow,
): Promise<readonly DocumentRow[]> {
  const { authority, others } = splitAuthority(filters)
  if (authority && isUnfiltered(others)) return listHolders(sql, viewer, authority, window)
  const isNearStart = window.offset + window.limit <= MAX_FILTERED
  const rows = isNearStart ? await findNearStart(sql, viewer, filters, window) : undefined
  return rows ?? scanUsers(sql, viewer, filters, window)
}

/** The page, without a scan of all users. Undefined where only such a scan finds it. */
async function findNearStart(
  sql: Sql,
  viewer: Viewer,
  filters: UserFilters,
  window: PageWindow,
): Promise<readonly DocumentRow[] | undefined> {
  const { authority, others } = splitAuthority(filters)
  if (authority) {
    const { rows, candidates } = matchesIn(
      await filterCandidates(sql, viewer, { authority }, others, window, MAX_FILTERED),
    )
    if (rows.length === window.limit || candidates <= MAX_FILTERED) return rows
  }
  const { q, ...rest } = filters
  if (q === undefined || !hasTrigram(q)) return undefined
  if (!authority) {
    const rows = await scanUsers(sql, viewer, filters, window, MAX_FILTERED)
    if (rows.length === window.limit) return rows
  }
  const { rows, candidates } = matchesIn(await filterCandidates(sql, viewer, { q }, rest, window, MAX_MATCHES))
  return candidates <= MAX_MATCHES ? rows : undefined
}

const matchesIn = (rows: readonly CandidateRow[]) => ({
  rows: rows.filter((row): row is CandidateRow & DocumentRow => row.position !== null),
  candidates: rows[0]?.candidates ?? 0,
})
