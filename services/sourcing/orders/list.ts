import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { listOrders, type OrderFilters, type OrderListing } from './list-queries.ts'

/** A page of the list. */
export async function findPage(
  deps: PageReads,
  reader: Reader,
  listing: OrderListing,
): Promise<readonly DocumentRow[]> {
  const cost = { offset: listing.offset, filters: countFilters(listing) }
  return readPage(deps, reader, cost, (sql) => listOrders(sql, reader.orgId, listing))
}

/** An RFQ has few orders, whatever the others are. */
const countFilters = ({ state, partId, factoryId, rfqId }: OrderFilters) =>
  rfqId === undefined ? [state, partId, factoryId].filter((filter) => filter !== undefined).length : 1
