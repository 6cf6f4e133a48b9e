import type { Sql } from '../../kit/db/client.ts'

/** Entries of one record that the caller may read, newest first; each row carries its public JSON. */
export const listHistory = (sql: Sql, recordId: string, { limit, offset }: { limit: number; offset: number }) =>
  sql<{ document: string }[]>`
    select document from sourcing.history
    where record_id = ${recordId}
    order by timestamp desc, id desc limit ${limit} offset ${offset}`

const MONTHS_AHEAD = 3

export const ensurePartitions = (sql: Sql) => sql`select ensure_month_partitions('history', ${MONTHS_AHEAD})`
