import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { type CaseFilters, type CaseListing, listCases } from './list-queries.ts'

/** A page of the list. */
export async function findPage(deps: PageReads, reader: Reader, listing: CaseListing): Promise<readonly DocumentRow[]> {
  const cost = { offset: listing.offset, filters: countFilters(listing) }
  return readPage(deps, reader, cost, (sql) => listCases(sql, reader.orgId, listing))
}

const countFilters = ({ kind, state, rfqId, orderId }: CaseFilters) =>
  [kind, state, rfqId, orderId].filter((filter) => filter !== undefined).length
