import { sweepEvents } from '../bus/outbox/sweep.ts'
import type { Pool } from '../db/client.ts'
import { sweepIdempotencyKeys } from '../idempotency/queries.ts'
import type { Log } from '../log/log.ts'
import { sweepAnchors } from '../pages/queries.ts'
import { every, type Worker } from '../worker/worker.ts'

const INTERVAL_MS = 60_000

/** Drops a bounded amount of what has had its time, and comes back as soon as it is told to stop. */
export type Sweep = (signal: AbortSignal) => PromiseLike<unknown>

/**
 * The one sweeper of a service: drops what has had its time, in bounded batches. Two replicas at once do no harm, and
 * what one sweep fails at keeps none of the others from theirs.
 */
export function sweeper(
  { sql, log, clock }: { sql: Pool; log: Log; clock: () => number },
  own: readonly Sweep[],
): Worker {
  return every('sweeper', INTERVAL_MS, log, async (signal) => {
    const now = new Date(clock()).toISOString()
    const sweeps: Sweep[] = [
      () => sweepIdempotencyKeys(sql, now, signal),
      () => sweepAnchors(sql, now, signal),
      () => sweepEvents(sql, { now }, signal),
      ...own,
    ]
    for (const sweep of sweeps) {
      if (signal.aborted) return
      try {
        await sweep(signal)
      } catch (err) {
        if (!signal.aborted) log.error({ err }, 'a sweep failed; it comes again')
      }
    }
  })
}
