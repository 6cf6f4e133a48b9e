import type { Sql } from '../../kit/db/client.ts'
import type { EntryKey } from '../../kit/pages/entries.ts'

export interface EntryRow extends EntryKey {
  document: string
}

export interface EntryWindow {
  before: EntryKey
  limit: number
  offset: number
}

/** Entries of one record that the caller may read, newest first; each row carries its public JSON. */
export const listHistory = (sql: Sql, recordId: string, { before, limit, offset }: EntryWindow) => sql<EntryRow[]>`
  select timestamp, id, document from sourcing.history
  where record_id = ${recordId} and (timestamp, id) < (${before.timestamp}::timestamptz, ${before.id})
  order by timestamp desc, id desc limit ${limit} offset ${offset}`

const MONTHS_AHEAD = 3

export const ensurePartitions = (sql: Sql) => sql`select ensure_month_partitions('history', ${MONTHS_AHEAD})`
