import type { Sql } from '../kit/db/client.ts'
import type { ReadContext } from '../kit/limits/request-reads.ts'

/** The reads of a request. All use the same connection or pool. */
export const readsOn = (sql: Sql): ReadContext => ({
  caller: { orgId: '' },
  request: { signal: new AbortController().signal },
  read: async (query) => query(sql),
  longRead: async (query) => query(sql),
})
