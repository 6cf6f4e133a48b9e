import { DAY_MS, timeAfter } from '../../../proto/durations.ts'
import type { Sql } from '../db/client.ts'
import { inBatches } from './batches.ts'

/** Rows of a table that are deleted some days after a time of theirs. */
export interface Expired {
  table: string
  key: string
  time: string
  keptDays: number
  /** Maximum rows of one statement. Default: 1000. */
  limit?: number
}

/** Deletes expired rows, oldest first so that an index finds them. Replicas delete different rows. */
export async function deleteExpired(
  sql: Sql,
  tables: readonly Expired[],
  now: string,
  signal: AbortSignal,
): Promise<void> {
  for (const { table, key, time, keptDays, limit = 1000 } of tables) {
    const before = timeAfter(now, -keptDays * DAY_MS)
    // Without the array the plan would scan the whole table.
    const remove = (rows: number) => sql`
      delete from ${sql(table)} where ${sql(key)} = any(array(
        select ${sql(key)} from ${sql(table)} where ${sql(time)} < ${before}
        order by ${sql(time)} limit ${rows} for update skip locked))`
    await inBatches({ limit, signal }, remove)
  }
}
