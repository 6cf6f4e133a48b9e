import type { Pool } from '../../kit/db/client.ts'
import { deleteUploads, endUploads } from './queries.ts'
import { UPLOAD_LIMITS } from './rules.ts'

/** Few enough for one short transaction. */
const AT_A_TIME = 500

/** Ends the uploads that nobody added in time, and forgets those that ended long ago. */
export async function sweepUploads(sql: Pool, now: Date): Promise<void> {
  while ((await endUploads(sql, now.toISOString(), AT_A_TIME)).length === AT_A_TIME);
  await deleteUploads(sql, new Date(now.getTime() - UPLOAD_LIMITS.keptMs).toISOString(), AT_A_TIME)
}
