import type { Sql } from '../../kit/db/client.ts'
import { timeKeyAt } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'

/** All entries of a record, newest first; each row has its public JSON. The caller may read the whole history. */
export function listHistory(sql: Sql, recordId: string, { after, limit, offset }: PageWindow) {
  const { timestamp, id } = timeKeyAt(after)
  return sql<DocumentRow[]>`
    select sourcing.api_time(timestamp) || ' ' || id as position, document from sourcing.history
    where record_id = ${recordId} and (timestamp, id) < (${timestamp}::timestamptz, ${id})
    order by timestamp desc, id desc limit ${limit} offset ${offset}`
}

const MONTHS_AHEAD = 3

export const ensurePartitions = (sql: Sql) => sql`select ensure_month_partitions('history', ${MONTHS_AHEAD})`
