import { cleanUpEvents } from '../bus/cleanup.ts'
import type { Pool } from '../db/client.ts'
import { cleanUpIdempotencyKeys } from '../idempotency/queries.ts'
import type { Log } from '../log/log.ts'
import { cleanUpCursors } from '../pagination/queries.ts'
import { every, type Worker } from '../worker/worker.ts'

const INTERVAL_MS = 60_000

/** Deletes expired records in bounded batches. Returns early when the signal aborts. */
export type CleanupTask = (now: string, signal: AbortSignal) => PromiseLike<unknown>

/**
 * The cleanup worker of a service: deletes expired records in bounded batches. Replicas may run it at the same time,
 * and a failed task does not stop the others.
 */
export function cleanupWorker(
  { sql, log, now }: { sql: Pool; log: Log; now: () => string },
  ownTasks: readonly CleanupTask[],
): Worker {
  return every('cleanup', INTERVAL_MS, log, async (signal) => {
    const tasks: CleanupTask[] = [
      (at) => cleanUpIdempotencyKeys(sql, at, signal),
      (at) => cleanUpCursors(sql, at, signal),
      (at) => cleanUpEvents(sql, at, signal),
      ...ownTasks,
    ]
    for (const task of tasks) {
      if (signal.aborted) return
      try {
        await task(now(), signal)
      } catch (err) {
        if (!signal.aborted) log.error({ err }, 'cleanup task failed; it will run again')
      }
    }
  })
}
