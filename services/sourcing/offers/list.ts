import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { listOffers, type OfferFilters, type OfferListing } from './list-queries.ts'

/** A page of the list. */
export async function findPage(
  deps: PageReads,
  reader: Reader,
  listing: OfferListing,
): Promise<readonly DocumentRow[]> {
  const cost = { offset: listing.offset, filters: countFilters(listing) }
  return readPage(deps, reader, cost, (sql) => listOffers(sql, reader.orgId, listing))
}

const countFilters = ({ rfqId, partId, state, activated }: OfferFilters) =>
  [rfqId, partId, state, activated].filter((filter) => filter !== undefined).length
