import { hasAsciiTrigram } from '../../kit/db/conditions.ts'
import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import { FIRST_SCAN, pageOrNothing, type Search, search } from '../../kit/pagination/search.ts'
import type { RecordRow } from '../renderings/documents.ts'
import { listRfqs, type RfqListing, type RfqSearch, scanRfqs, searchIndex } from './list-queries.ts'

/** More than any organization has. A text without a trigram is in no index, so the search scans the whole view. */
const WHOLE_VIEW = 2_147_483_647

/** A page of the list. */
export async function findPage(
  context: ReadContext,
  read: RequestReads['read'],
  { q, ...listing }: RfqListing & { q?: string | undefined },
): Promise<readonly RecordRow[]> {
  const { orgId } = context.caller
  if (q === undefined) return read((sql) => listRfqs(sql, orgId, listing))
  return search(context, textSearch(orgId, { ...listing, q }), listing)
}

const textSearch = (orgId: string, wanted: RfqSearch): Search<RecordRow> => ({
  scans: [FIRST_SCAN],
  scan: async (sql, window, count) =>
    pageOrNothing(await scanRfqs(sql, orgId, { ...wanted, ...window }, count), window, count),
  longStep: async (sql, window) => ({
    rows: await (hasAsciiTrigram(wanted.q)
      ? searchIndex(sql, orgId, { ...wanted, ...window })
      : scanRfqs(sql, orgId, { ...wanted, ...window }, WHOLE_VIEW)),
    rest: undefined,
  }),
})
