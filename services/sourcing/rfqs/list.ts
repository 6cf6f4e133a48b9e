import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { hasAsciiTrigram } from '../parts/queries.ts'
import { listRfqs, type RfqListing, type RfqSearch, scanRfqs, searchIndex } from './list-queries.ts'

/** Number of RFQs of each view that are scanned first, because those of a common text fill a page. */
const FIRST_SCAN = 2000
/** More than any organization has. A text without a trigram is in no index, so the search scans the whole view. */
const WHOLE_VIEW = 2_147_483_647

/** A page of the list. */
export async function findPage(
  context: ReadContext,
  read: RequestReads['read'],
  { q, ...listing }: RfqListing & { q?: string | undefined },
): Promise<readonly DocumentRow[]> {
  if (q !== undefined) return findMatches(context, { ...listing, q })
  return read((sql) => listRfqs(sql, context.caller.orgId, listing))
}

/** A scan finds a common text, and an index a rare one. */
async function findMatches({ caller, longRead }: ReadContext, search: RfqSearch) {
  const { orgId } = caller
  const first = await longRead((sql) => scanRfqs(sql, orgId, search, FIRST_SCAN))
  if (first.length === search.limit) return first
  return longRead(
    (sql) => (hasAsciiTrigram(search.q) ? searchIndex(sql, orgId, search) : scanRfqs(sql, orgId, search, WHOLE_VIEW)),
    'seconds',
  )
}
