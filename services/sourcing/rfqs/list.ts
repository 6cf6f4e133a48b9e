import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { type Search, search, withinTimeout } from '../../kit/pagination/search.ts'
import { hasAsciiTrigram } from '../parts/queries.ts'
import { listRfqs, type RfqListing, type RfqSearch, scanRfqs, searchIndex } from './list-queries.ts'

/** RFQs that are scanned first. */
const FIRST_SCAN = 2000

/** A page of the list. */
export async function findPage(
  context: ReadContext,
  read: RequestReads['read'],
  { q, ...listing }: RfqListing & { q?: string | undefined },
): Promise<readonly DocumentRow[]> {
  const { orgId } = context.caller
  if (q === undefined) return read((sql) => listRfqs(sql, orgId, listing))
  return search(context, textSearch(orgId, { ...listing, q }), listing)
}

/** A text without a trigram is in no index. */
const textSearch = (orgId: string, wanted: RfqSearch): Search<DocumentRow> => ({
  scans: [FIRST_SCAN],
  scan: (sql, window, count) => scanRfqs(sql, orgId, { ...wanted, ...window }, count),
  ...(hasAsciiTrigram(wanted.q) && {
    index: withinTimeout((sql, window) => searchIndex(sql, orgId, { ...wanted, ...window })),
  }),
})
