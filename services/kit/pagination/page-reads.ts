import type { Sql } from '../db/client.ts'
import type { Reads } from '../db/pipelined-reads.ts'
import type { Reader, TenantReads } from '../limits/tenant-reads.ts'

/** A page with a larger offset takes too long for the connection of short reads. */
export const LARGE_OFFSET = 500
/** A page with a larger offset counts as a long read. */
export const LONG_READ_OFFSET = 100_000

export interface PageReads {
  reads: Reads
  tenantReads: TenantReads
}

interface PageCost {
  offset: number
  /**
   * The filters, undefined where not given. An index serves one filter. With several, the records of one are read until
   * enough match the others.
   */
  filters?: readonly unknown[]
}

/** Reads a page of a list on the connection of short reads, or as a bounded or long read if it can cost more. */
export function readPage<Rows>(
  { reads, tenantReads }: PageReads,
  reader: Reader,
  { offset, filters = [] }: PageCost,
  read: (sql: Sql) => PromiseLike<Rows>,
): PromiseLike<Rows> {
  if (offset > LONG_READ_OFFSET) return tenantReads.long(reader, read)
  const isFilteredTwice = filters.filter((filter) => filter !== undefined).length > 1
  return offset > LARGE_OFFSET || isFilteredTwice ? tenantReads.bounded(reader, read) : reads.query(read)
}
