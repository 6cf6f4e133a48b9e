import { DAY_MS } from '../../../proto/durations.ts'
import type { Sql } from '../db/client.ts'
import { inBatches } from '../worker/batches.ts'
import { deleteProcessed } from './consume/queries.ts'
import { deleteSent } from './outbox/queries.ts'

interface EventRetention {
  /** Current time, ISO 8601. */
  now: string
  /** Maximum rows of one statement. */
  limit?: number
}

/** Retention of published rows, from which `scripts/republish` can refill a lost stream. */
const SENT_RETENTION_DAYS = 7
/** Retention of processed event ids. It must exceed that of rows and streams, or a refill would repeat effects. */
const PROCESSED_RETENTION_DAYS = 30

/** Deletes expired rows in bounded batches. Ages count from the publishing, so an unpublished row never expires. */
export async function cleanUpEvents(
  sql: Sql,
  { now, limit = 5000 }: EventRetention,
  signal: AbortSignal,
): Promise<{ sent: number; processed: number }> {
  const ago = (days: number) => new Date(Date.parse(now) - days * DAY_MS).toISOString()
  return {
    sent: await inBatches({ limit, signal }, () => deleteSent(sql, ago(SENT_RETENTION_DAYS), limit)),
    processed: await inBatches({ limit, signal }, () => deleteProcessed(sql, ago(PROCESSED_RETENTION_DAYS), limit)),
  }
}
