import type { Pool } from '../../kit/db/client.ts'
import { inBatches } from '../../kit/worker/batches.ts'
import { deleteExpired } from '../../kit/worker/expired.ts'
import { dropOldPartitions, ensurePartitions, failAbandoned } from './queries.ts'
import { RETENTION_DAYS } from './rules.ts'

const BATCH_SIZE = 1000
const EXPIRED = { table: 'webhooks.deliveries', key: 'id', time: 'event_time', keptDays: RETENTION_DAYS }

/** Deletes the deliveries of events that are older than 30 days, whatever their state. */
export const cleanUpDeliveries = (sql: Pool, now: string, signal: AbortSignal) =>
  deleteExpired(sql, [EXPIRED], now, signal)

/** Ends the pending deliveries of deleted endpoints. */
export const failAbandonedDeliveries = (sql: Pool, now: string, signal: AbortSignal) =>
  inBatches({ limit: BATCH_SIZE, signal }, (limit) => failAbandoned(sql, now, limit))

/** Creates the partitions of the coming months and drops those that are too old. */
export async function maintainPartitions(sql: Pool): Promise<void> {
  await ensurePartitions(sql)
  await dropOldPartitions(sql)
}
