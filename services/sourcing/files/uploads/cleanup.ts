import { timeAfter } from '../../../../proto/durations.ts'
import type { Pool } from '../../../kit/db/client.ts'
import { inBatches } from '../../../kit/worker/batches.ts'
import { deleteUploads, endUploads } from './queries.ts'
import { UPLOAD_LIMITS } from './rules.ts'

const BATCH_SIZE = 500

/** Ends expired uploads, and deletes the rows of those that expired long ago. */
export async function cleanUpUploads(sql: Pool, now: string, signal: AbortSignal): Promise<void> {
  const batches = { limit: BATCH_SIZE, signal }
  await inBatches(batches, (limit) => endUploads(sql, now, limit))
  const retainedSince = timeAfter(now, -UPLOAD_LIMITS.retentionMs)
  await inBatches(batches, (limit) => deleteUploads(sql, retainedSince, limit))
}
