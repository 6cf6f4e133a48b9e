import type { PipelinedReads } from '../../kit/db/pipelined-reads.ts'
import type { Reader, TenantReads } from '../../kit/limits/tenant-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { listOffers, type OfferFilters, type OfferListing } from './list-queries.ts'

/** Offsets above this do not use the connection of short reads. */
const LARGE_OFFSET = 500
/** Offsets above this count as long reads. */
const LONG_READ_OFFSET = 100_000

export interface OfferReads {
  reads: PipelinedReads
  tenantReads: TenantReads
}

/** A page of the list. */
export async function findPage(
  { reads, tenantReads }: OfferReads,
  reader: Reader,
  listing: OfferListing,
): Promise<readonly DocumentRow[]> {
  const { orgId } = reader
  if (listing.offset > LONG_READ_OFFSET) return tenantReads.long(reader, (sql) => listOffers(sql, orgId, listing))
  // An index serves one filter. With several, offers of one filter are read until enough match the others.
  return listing.offset > LARGE_OFFSET || countFilters(listing) > 1
    ? tenantReads.bounded(reader, (sql) => listOffers(sql, orgId, listing))
    : reads.query((sql) => listOffers(sql, orgId, listing))
}

const countFilters = ({ rfqId, partId, state, activated }: OfferFilters) =>
  [rfqId, partId, state, activated].filter((filter) => filter !== undefined).length
