import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { type AssignmentListing, listAssignments } from './list-queries.ts'

/** A page of the list. */
export async function findPage(
  deps: PageReads,
  reader: Reader,
  listing: AssignmentListing,
): Promise<readonly DocumentRow[]> {
  const { offset, status, archived, orderId, rfqId, partId, factoryId } = listing
  // An order has one assignment and an RFQ few, so the other filters cost nothing.
  const filters = (orderId ?? rfqId) === undefined ? [status, archived, partId, factoryId] : []
  return readPage(deps, reader, { offset, filters }, (sql) => listAssignments(sql, reader.orgId, listing))
}
