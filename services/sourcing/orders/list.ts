import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { listOrders, type OrderListing } from './list-queries.ts'

/** A page of the list. */
export async function findPage(
  deps: PageReads,
  reader: Reader,
  listing: OrderListing,
): Promise<readonly DocumentRow[]> {
  const { offset, state, partId, factoryId, rfqId } = listing
  // An RFQ has few orders, so the other filters cost nothing.
  const cost = { offset, filters: rfqId === undefined ? [state, partId, factoryId] : [] }
  return readPage(deps, reader, cost, (sql) => listOrders(sql, reader.orgId, listing))
}
