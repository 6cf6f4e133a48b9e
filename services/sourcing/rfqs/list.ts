import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { hasAsciiTrigram } from '../parts/queries.ts'
import { listRfqs, type RfqListing, type RfqSearch, scanRfqs, searchIndex } from './list-queries.ts'

/** Number of RFQs of each view that are scanned first, because those of a common text fill a page. */
const FIRST_SCAN = 2000
/** More than any organization has. A text without a trigram is in no index, so the search scans the whole view. */
const WHOLE_VIEW = 2_147_483_647

/** A page of the list. */
export async function findPage(
  deps: PageReads,
  reader: Reader,
  { q, ...listing }: RfqListing & { q?: string | undefined },
): Promise<readonly DocumentRow[]> {
  if (q !== undefined) return findMatches(deps, reader, { ...listing, q })
  const { offset, state, partId, excludeDrafts, excludeExpired } = listing
  const cost = { offset, filters: [state, partId, excludeDrafts || undefined, excludeExpired || undefined] }
  return readPage(deps, reader, cost, (sql) => listRfqs(sql, reader.orgId, listing))
}

/** A scan finds a common text, and an index a rare one. */
async function findMatches({ tenantReads }: PageReads, reader: Reader, search: RfqSearch) {
  const { orgId } = reader
  const first = await tenantReads.bounded(reader, (sql) => scanRfqs(sql, orgId, search, FIRST_SCAN))
  if (first.length === search.limit) return first
  return tenantReads.long(reader, (sql) =>
    hasAsciiTrigram(search.q) ? searchIndex(sql, orgId, search) : scanRfqs(sql, orgId, search, WHOLE_VIEW),
  )
}
