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
  const { offset, status, archived, orderId, partId, factoryId } = listing
  // The filter by order leaves one assignment at most, so the other filters cost nothing.
  const filters = orderId === undefined ? [status, archived, partId, factoryId] : [orderId]
  return readPage(deps, reader, { offset, filters }, (sql) => listAssignments(sql, reader.orgId, listing))
}
