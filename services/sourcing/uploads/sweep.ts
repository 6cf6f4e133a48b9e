import type { Pool } from '../../kit/db/client.ts'
import { inBatches } from '../../kit/sweep/batches.ts'
import { deleteUploads, endUploads } from './queries.ts'
import { UPLOAD_LIMITS } from './rules.ts'

/** Few enough for one short transaction. */
const AT_A_TIME = 500
const BATCHES_AT_MOST = 20

/** Ends the uploads that nobody added in time, and forgets those that ended long ago. */
export async function sweepUploads(sql: Pool, now: Date, signal: AbortSignal): Promise<void> {
  for (let batch = 0; batch < BATCHES_AT_MOST && !signal.aborted; batch++) {
    if ((await endUploads(sql, now.toISOString(), AT_A_TIME)).length < AT_A_TIME) break
  }
  const forgottenAt = new Date(now.getTime() - UPLOAD_LIMITS.keptMs).toISOString()
  await inBatches(AT_A_TIME, (limit) => deleteUploads(sql, forgottenAt, limit))
}
