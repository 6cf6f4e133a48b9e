import type { PipelinedReads } from '../../kit/db/pipelined-reads.ts'
import type { Reader, TenantReads } from '../../kit/limits/tenant-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { hasTrigram } from '../parts/queries.ts'
import { listRfqs, type RfqFilters, type RfqListing, type RfqSearch, scanRfqs, searchIndex } from './list-queries.ts'

/** Offsets above this do not use the connection of short reads. */
const LARGE_OFFSET = 500
/** Offsets above this count as long reads. */
const LONG_READ_OFFSET = 100_000
/** RFQs of each view that a search scans before it searches an index: those of a common text fill a page. */
const FIRST_SCAN = 2000
/** More than any organization has. A text without a trigram is in no index, so the search scans the whole view. */
const WHOLE_VIEW = 2_147_483_647

export interface RfqReads {
  reads: PipelinedReads
  tenantReads: TenantReads
}

/** A page of the list. */
export async function findPage(
  deps: RfqReads,
  reader: Reader,
  { q, ...listing }: RfqListing & { q?: string | undefined },
): Promise<readonly DocumentRow[]> {
  if (q !== undefined) return findMatches(deps, reader, { ...listing, q })
  const { reads, tenantReads } = deps
  const { orgId } = reader
  if (listing.offset > LONG_READ_OFFSET) return tenantReads.long(reader, (sql) => listRfqs(sql, orgId, listing))
  // An index serves one filter. With several, RFQs of one filter are read until enough match the others.
  return listing.offset > LARGE_OFFSET || countFilters(listing) > 1
    ? tenantReads.bounded(reader, (sql) => listRfqs(sql, orgId, listing))
    : reads.query((sql) => listRfqs(sql, orgId, listing))
}

const countFilters = ({ state, partId, excludeDrafts, excludeExpired }: RfqFilters) =>
  [state, partId, excludeDrafts || undefined, excludeExpired || undefined].filter((filter) => filter !== undefined)
    .length

/** A scan finds a common text, and an index a rare one. */
async function findMatches({ tenantReads }: RfqReads, reader: Reader, search: RfqSearch) {
  const { orgId } = reader
  const first = await tenantReads.bounded(reader, (sql) => scanRfqs(sql, orgId, search, FIRST_SCAN))
  if (first.length === search.limit) return first
  return tenantReads.long(reader, (sql) =>
    hasTrigram(search.q) ? searchIndex(sql, orgId, search) : scanRfqs(sql, orgId, search, WHOLE_VIEW),
  )
}
