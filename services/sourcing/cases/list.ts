import type { Reader } from '../../kit/limits/tenant-reads.ts'
import { type PageReads, readPage } from '../../kit/pagination/page-reads.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import { type CaseListing, listCases } from './list-queries.ts'

/** A page of the list. */
export async function findPage(deps: PageReads, reader: Reader, listing: CaseListing): Promise<readonly DocumentRow[]> {
  const { offset, kind, state, rfqId, orderId } = listing
  const cost = { offset, filters: [kind, state, rfqId, orderId] }
  return readPage(deps, reader, cost, (sql) => listCases(sql, reader.orgId, listing))
}
