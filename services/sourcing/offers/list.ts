import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { listOffers, type OfferListing } from './list-queries.ts'

/** A page of the list. */
export async function findPage(
  deps: PageReads,
  reader: Reader,
  listing: OfferListing,
): Promise<readonly DocumentRow[]> {
  const { offset, rfqId, partId, state, activated } = listing
  const cost = { offset, filters: [rfqId, partId, state, activated] }
  return readPage(deps, reader, cost, (sql) => listOffers(sql, reader.orgId, listing))
}
