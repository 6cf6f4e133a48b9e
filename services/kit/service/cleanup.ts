import { cleanUpEvents } from '../bus/cleanup.ts'
import type { Pool } from '../db/client.ts'
import { cleanUpIdempotencyKeys } from '../idempotency/queries.ts'
import type { Log } from '../log/log.ts'
import { cleanUpCursors } from '../pagination/queries.ts'
import { every, type Worker } from '../worker/worker.ts'

const INTERVAL_MS = 60_000

/** Deletes a bounded number of expired records. It returns early at the signal. */
export type CleanupTask = (signal: AbortSignal) => PromiseLike<unknown>

/**
 * The cleanup worker of a service: deletes expired records in bounded batches. Replicas may run it at the same time, and
 * a failed task does not stop the others.
 */
export function cleanupWorker(
  { sql, log, clock }: { sql: Pool; log: Log; clock: () => number },
  ownTasks: readonly CleanupTask[],
): Worker {
  return every('cleanup', INTERVAL_MS, log, async (signal) => {
    const now = new Date(clock()).toISOString()
    const tasks: CleanupTask[] = [
      () => cleanUpIdempotencyKeys(sql, now, signal),
      () => cleanUpCursors(sql, now, signal),
      () => cleanUpEvents(sql, { now }, signal),
      ...ownTasks,
    ]
    for (const task of tasks) {
      if (signal.aborted) return
      try {
        await task(signal)
      } catch (err) {
        if (!signal.aborted) log.error({ err }, 'cleanup task failed; it will run again')
      }
    }
  })
}
