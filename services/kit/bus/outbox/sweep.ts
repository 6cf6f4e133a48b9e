import type { Sql } from '../../db/client.ts'
import { inBatches } from '../../worker/batches.ts'
import { deleteSeen } from '../queries.ts'
import { deleteSent } from './queries.ts'

export interface EventRetention {
  /** The moment from which ages count, ISO 8601. */
  now: string
  /** How long a row stays after every reader had it: what `scripts/republish` can refill a lost stream from. */
  sentRetentionDays?: number
  /** How long a consumer knows a copy when it meets one. Longer than rows and streams live, or a refill repeats effects. */
  seenRetentionDays?: number
  /** Rows a statement at most. */
  limit?: number
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Drops what has had its time, in bounded statements. A row counts from the moment it was sent, not from
 * its own time: one that still waits for a broker or a consumer is never dropped, however old.
 */
export async function sweepEvents(
  sql: Sql,
  { now, sentRetentionDays = 7, seenRetentionDays = 30, limit = 5000 }: EventRetention,
  signal: AbortSignal,
): Promise<{ sent: number; seen: number }> {
  const ago = (days: number) => new Date(Date.parse(now) - days * DAY_MS).toISOString()
  return {
    sent: await inBatches({ limit, signal }, () => deleteSent(sql, ago(sentRetentionDays), limit)),
    seen: await inBatches({ limit, signal }, () => deleteSeen(sql, ago(seenRetentionDays), limit)),
  }
}
