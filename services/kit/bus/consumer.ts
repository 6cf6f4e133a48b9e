import type { Pool } from '../db/client.ts'
import { isDependencyFailure } from '../db/failures.ts'
import type { WakeSignal } from '../worker/wake-signal.ts'
import { pause, type Worker } from '../worker/worker.ts'
import type { Batch, EventProcessor } from './event-processor.ts'
import type { LeaderElection } from './leader-election.ts'
import type { BusLog } from './log.ts'
import { type Cursor, ensureCursors, listCursors, nextRetry, touchCursors } from './queries.ts'

/** One source of a consumer, read by the driver. */
export interface Feed {
  source: string
  /** The next batch after the cursor, oldest first. Undefined if there is none now. */
  next(cursor: Cursor): Promise<Batch | undefined>
  /** Called after the batch of `next` was committed. */
  committed(): void
}

interface ConsumerOptions {
  name: string
  pool: Pool
  election: LeaderElection
  processor: EventProcessor
  log: BusLog
  /** Notified when a source may have events. */
  wake: WakeSignal
  /** Opens the sources for the time of the leadership. */
  open(ends: AbortSignal): Promise<Feed[]>
  pollMs: number
}

const FIRST_IDLE_MS = 5
const FAILED_PAUSE_MS = 500
const MAX_RETRIES_PER_ROUND = 200
const TOUCH_INTERVAL_MS = 10 * 60 * 1000

/**
 * A worker that reads the sources in turn and processes their batches while it is the leader. Idle pauses grow up to
 * `pollMs`, so that events hidden by a running transaction are found soon.
 */
export const createConsumer = (options: ConsumerOptions): Worker => ({
  name: `consumer ${options.name}`,
  run: (signal) =>
    options.election.lead(`consumer:${options.name}`, signal, async (_session, ends) => {
      const { name, pool, log, wake, pollMs } = options
      const feeds = await options.open(ends)
      const sources = feeds.map(({ source }) => source)
      await ensureCursors(pool, name, sources)
      let idleMs = FIRST_IDLE_MS
      let touchAt = performance.now()
      while (!ends.aborted) {
        try {
          if (performance.now() >= touchAt) {
            await touchCursors(pool, name)
            touchAt = performance.now() + TOUCH_INTERVAL_MS
          }
          const { worked, dueMs } = await runRound(options, feeds, ends)
          const woken = worked || (await wake.wait(Math.min(idleMs, dueMs), ends))
          idleMs = woken ? FIRST_IDLE_MS : Math.min(idleMs * 2, pollMs)
        } catch (error) {
          log[isDependencyFailure(error) ? 'warn' : 'error']({ consumer: name, err: error }, 'consumer failed')
          await pause(FAILED_PAUSE_MS, ends)
        }
      }
    }),
})

/**
 * Retries due events before new ones, because a busy subject would otherwise never leave the retry queue. The number is
 * bounded, so that a consumer that always fails still reads new events.
 */
async function retryDue(processor: EventProcessor, ends: AbortSignal): Promise<boolean> {
  let tried = 0
  while (tried < MAX_RETRIES_PER_ROUND && !ends.aborted && (await processor.retry())) tried++
  return tried > 0
}

/** Processes due retries and one batch of each source. Returns whether there was work, and when the next retry is due. */
async function runRound({ name, pool, processor }: ConsumerOptions, feeds: readonly Feed[], ends: AbortSignal) {
  const [[retry], rows] = await Promise.all([nextRetry(pool, name), listCursors(pool, name)])
  const dueMs = retry?.due_ms ?? Number.POSITIVE_INFINITY
  let worked = dueMs <= 0 && (await retryDue(processor, ends))
  const cursors = new Map(rows.map((cursor) => [cursor.source, cursor]))
  const next = async (feed: Feed) => {
    const cursor = cursors.get(feed.source)
    const batch = cursor && !ends.aborted ? await feed.next(cursor) : undefined
    return cursor && batch ? [{ feed, cursor, batch }] : []
  }
  for (const { feed, cursor, batch } of (await Promise.all(feeds.map(next))).flat()) {
    if (ends.aborted || (await processor.deliver(cursor, batch)) === 'moved') continue
    feed.committed()
    worked = true
  }
  return { worked, dueMs: Math.max(dueMs, FIRST_IDLE_MS) }
}
