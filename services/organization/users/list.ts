import { hasTrigram } from '../../kit/db/conditions.ts'
import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { ALL, FIRST_SCAN, isUnfiltered, pageOrNothing, type Search, search } from '../../kit/pagination/search.ts'
import { filterCandidates, listHolders, scanUsers } from './list-queries.ts'
import { splitAuthority, type UserFilters, type Viewer } from './rules.ts'

/** Matches that are sorted faster than the users of a large organization are scanned. */
const MAX_MATCHES = 10_000

/** A page of the list. */
export async function findUsers(
  context: Pick<ReadContext, 'longRead' | 'request'>,
  read: RequestReads['read'],
  viewer: Viewer,
  filters: UserFilters,
  window: PageWindow,
): Promise<readonly DocumentRow[]> {
  if (isUnfiltered(filters)) return read((sql) => scanUsers(sql, viewer, filters, window))
  const { authority, others } = splitAuthority(filters)
  if (!authority || !isUnfiltered(others)) return search(context, searchOf(viewer, filters), window)
  return context.longRead((sql) => listHolders(sql, viewer, authority, window))
}

/**
 * Users, with or without a filter on a role or permission, are scanned in the order of the list. Of 100,000 users a
 * scan of all takes 20 to 60 ms, and 50 ms more for each role or permission that most of them hold.
 */
function searchOf(viewer: Viewer, filters: UserFilters): Search<DocumentRow> {
  const { authority, others } = splitAuthority(filters)
  const { q, ...rest } = filters
  const isIndexed = q !== undefined && hasTrigram(q)
  return {
    scans: [authority || isIndexed ? FIRST_SCAN : ALL],
    scan: async (sql, window, count) =>
      authority && count !== ALL
        ? filterCandidates(sql, viewer, { authority }, others, window, count)
        : pageOrNothing(await scanUsers(sql, viewer, filters, window, count), window, count),
    ...(isIndexed && {
      index: (sql, window) => filterCandidates(sql, viewer, { q }, rest, window, MAX_MATCHES),
    }),
    longStep: async (sql, window) => pageOrNothing(await scanUsers(sql, viewer, filters, window), window, ALL),
  }
}
