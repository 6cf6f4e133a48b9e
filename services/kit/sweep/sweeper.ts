import type { Pool } from '../db/client.ts'
import { sweepIdempotencyKeys } from '../idempotency/queries.ts'
import type { Log } from '../log/log.ts'
import { sweepEvents } from '../outbox/sweep.ts'
import { sweepAnchors } from '../pages/queries.ts'
import { every, type Worker } from '../service/worker.ts'

const INTERVAL_MS = 60_000

/** The one sweeper of a service: drops what has had its time, in bounded batches. Two replicas at once do no harm. */
export function sweeper(
  { sql, log, clock }: { sql: Pool; log: Log; clock: () => number },
  own: readonly (() => Promise<unknown>)[],
): Worker {
  return every('sweeper', INTERVAL_MS, log, async () => {
    const now = new Date(clock()).toISOString()
    await sweepIdempotencyKeys(sql, now)
    await sweepAnchors(sql, now)
    await sweepEvents(sql, { now })
    for (const sweep of own) await sweep()
  })
}
