import type { Sql } from '../../kit/db/client.ts'
import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import { FIRST_SCAN, search } from '../../kit/pagination/search.ts'
import type { RecordRow } from '../renderings/documents.ts'
import { listOrders, type OrderListing, scanOrders } from './list-queries.ts'

/** A page of the list. No index has the titles of the parts of orders, so a search scans the orders. */
export async function findPage(
  context: ReadContext,
  read: RequestReads['read'],
  { q, ...listing }: OrderListing & { q?: string | undefined },
): Promise<readonly RecordRow[]> {
  const { orgId } = context.caller
  if (q === undefined) return read((sql) => listOrders(sql, orgId, listing))
  const scan = (sql: Sql, window: PageWindow, count: number) =>
    scanOrders(sql, orgId, { ...listing, ...window, q }, count)
  return search(context, { scans: [FIRST_SCAN], scan }, listing)
}
