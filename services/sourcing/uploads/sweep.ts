import type { Pool } from '../../kit/db/client.ts'
import { inBatches } from '../../kit/worker/batches.ts'
import { deleteUploads, endUploads } from './queries.ts'
import { UPLOAD_LIMITS } from './rules.ts'

/** Few enough for one short transaction. */
const AT_A_TIME = 500

/** Ends the uploads that nobody added in time, and forgets those that ended long ago. */
export async function sweepUploads(sql: Pool, now: Date, signal: AbortSignal): Promise<void> {
  const batches = { limit: AT_A_TIME, signal }
  await inBatches(batches, (limit) => endUploads(sql, now.toISOString(), limit))
  const forgottenAt = new Date(now.getTime() - UPLOAD_LIMITS.keptMs).toISOString()
  await inBatches(batches, (limit) => deleteUploads(sql, forgottenAt, limit))
}
