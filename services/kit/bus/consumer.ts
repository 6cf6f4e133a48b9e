import type { Pool } from '../db/client.ts'
import { isDependencyFailure } from '../db/failures.ts'
import type { WakeSignal } from '../worker/wake-signal.ts'
import { pause, type Worker } from '../worker/worker.ts'
import type { Batch, Inbox } from './inbox.ts'
import type { BusLog } from './log.ts'
import { type Cursor, ensureCursors, listCursors, nextParked, touchCursors } from './queries.ts'
import type { Seats } from './seats.ts'

/** One source of a consumer, as its driver reads it. */
export interface Feed {
  source: string
  /** What comes after the cursor, oldest first; nothing when there is nothing now. */
  next(cursor: Cursor): Promise<Batch | undefined>
  /** The batch that `next` gave is committed. */
  settled(): void
}

export interface ConsumerOptions {
  name: string
  pool: Pool
  seats: Seats
  inbox: Inbox
  log: BusLog
  /** Called whenever a source may have something. */
  wake: WakeSignal
  /** Opens the sources for as long as the seat is held. */
  open(ends: AbortSignal): Promise<Feed[]>
  pollMs: number
}

const FIRST_IDLE_MS = 20
const FAILED_PAUSE_MS = 500
const TRIES_A_ROUND = 200
const TOUCH_INTERVAL_MS = 10 * 60 * 1000

/**
 * Reads its sources one after the other and gives each batch to the inbox, while it holds the consumer's seat. With no
 * news it looks again after pauses that grow up to the poll: news that a running transaction still hides are found soon.
 */
export const createConsumer = (options: ConsumerOptions): Worker => ({
  name: `consumer ${options.name}`,
  run: (signal) =>
    options.seats.hold(`consumer:${options.name}`, signal, async (_session, ends) => {
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
          const { worked, dueMs } = await round(options, feeds, ends)
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
 * Tries what is due before anything new is taken: else a subject that is always busy would never leave what was set
 * aside of it. Bounded, so that nobody waits for a consumer that fails at everything.
 */
async function catchUp(inbox: Inbox, ends: AbortSignal): Promise<boolean> {
  let tried = 0
  while (tried < TRIES_A_ROUND && !ends.aborted && (await inbox.retry())) tried++
  return tried > 0
}

/** What is due and one batch of each source; whether there was anything, and when something is due again. */
async function round({ name, pool, inbox }: ConsumerOptions, feeds: readonly Feed[], ends: AbortSignal) {
  const [parked] = await nextParked(pool, name)
  const dueMs = parked?.due_ms ?? Number.POSITIVE_INFINITY
  let worked = dueMs <= 0 && (await catchUp(inbox, ends))
  const cursors = new Map((await listCursors(pool, name)).map((cursor) => [cursor.source, cursor]))
  for (const feed of feeds) {
    const cursor = cursors.get(feed.source)
    const batch = cursor && !ends.aborted ? await feed.next(cursor) : undefined
    if (!cursor || !batch || (await inbox.deliver(cursor, batch)) === 'moved') continue
    feed.settled()
    worked = true
  }
  return { worked, dueMs: Math.max(dueMs, FIRST_IDLE_MS) }
}
