import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { type AssignmentFilters, type AssignmentListing, listAssignments } from './list-queries.ts'

/** A page of the list. */
export async function findPage(
  deps: PageReads,
  reader: Reader,
  listing: AssignmentListing,
): Promise<readonly DocumentRow[]> {
  const cost = { offset: listing.offset, filters: countFilters(listing) }
  return readPage(deps, reader, cost, (sql) => listAssignments(sql, reader.orgId, listing))
}

/** The filters by order and by RFQ name few assignments, whatever the others are. */
const countFilters = ({ status, archived, orderId, rfqId, partId, factoryId }: AssignmentFilters) =>
  orderId === undefined && rfqId === undefined
    ? [status, archived, partId, factoryId].filter((filter) => filter !== undefined).length
    : 1
