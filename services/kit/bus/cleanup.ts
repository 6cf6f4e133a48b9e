import type { Sql } from '../db/client.ts'
import { deleteExpired } from '../worker/expired.ts'

const EXPIRED = [
  // `scripts/republish` can refill a lost stream from published rows.
  { table: 'outbox', key: 'seq', time: 'sent_at', keptDays: 7, limit: 5000 },
  // These stay longer than rows and streams, because a refill would repeat effects.
  { table: 'processed_events', key: 'ctid', time: 'processed_at', keptDays: 30, limit: 5000 },
]

/** Deletes expired rows. Ages count from the publishing, so an unpublished row never expires. */
export const cleanUpEvents = (sql: Sql, now: string, signal: AbortSignal) => deleteExpired(sql, EXPIRED, now, signal)
