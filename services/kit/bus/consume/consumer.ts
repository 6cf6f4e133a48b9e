import type { Pool } from '../../db/client.ts'
import { isDependencyFailure } from '../../db/failures.ts'
import type { MessageLog } from '../../log/message-log.ts'
import type { LeaderElection } from '../../sessions/leader-election.ts'
import type { WakeSignal } from '../../worker/wake-signal.ts'
import { pause, type Worker } from '../../worker/worker.ts'
import type { Driver, Feed, Position } from '../driver/driver.ts'
import type { EventProcessor } from './event-processor.ts'
import { deleteCursors, ensureCursors, listCursors, nextRetry, touchCursors } from './queries.ts'

interface ConsumerOptions {
  name: string
  subjects: readonly string[]
  pool: Pool
  driver: Driver
  election: LeaderElection
  processor: EventProcessor
  log: MessageLog
  /** Notified when a source may have events. */
  wake: WakeSignal
  pollMs: number
}

const FIRST_IDLE_MS = 5
const FAILED_PAUSE_MS = 500
const MAX_RETRIES_PER_ROUND = 200
const TOUCH_INTERVAL_MS = 10 * 60 * 1000
const START: Position = { low: '0', high: '0', seq: '0', epoch: null }

/** The role of the process that runs a consumer. */
export const consumerRole = (name: string) => `consumer:${name}`

/**
 * A consumer: a worker that reads its sources in turn and processes their batches while it is the leader. Idle pauses
 * grow up to `pollMs`, so that events hidden by a running transaction are found soon.
 */
export class Consumer implements Worker {
  readonly name: string
  readonly #options: ConsumerOptions
  /** The sources, while this process is the leader. */
  #feeds: readonly Feed[] | undefined

  constructor(options: ConsumerOptions) {
    this.name = `consumer ${options.name}`
    this.#options = options
  }

  run(signal: AbortSignal): Promise<void> {
    const { election, name } = this.#options
    return election.lead(consumerRole(name), signal, async (_session, leadership) => {
      this.#feeds = await this.#open(leadership)
      await this.#process(this.#feeds, leadership).finally(() => {
        this.#feeds = undefined
      })
    })
  }

  /** Number of unprocessed events. Undefined if another process is the leader, or a source cannot be read. */
  async lag(): Promise<number | undefined> {
    const { pool, name } = this.#options
    const cursors = new Map((await listCursors(pool, name)).map((cursor) => [cursor.source, cursor]))
    const lagOf = (feed: Feed) => {
      const cursor = cursors.get(feed.source)
      return cursor && feed.lag(cursor).catch(() => undefined)
    }
    const lags = await Promise.all((this.#feeds ?? []).map(lagOf))
    if (lags.length === 0 || lags.includes(undefined)) return undefined
    return lags.reduce<number>((sum, lag) => sum + (lag ?? 0), 0)
  }

  async #open(signal: AbortSignal): Promise<Feed[]> {
    const { pool, name, subjects, wake, driver } = this.#options
    const positionIn = async (source: string) => {
      const cursors = await listCursors(pool, name)
      return cursors.find((cursor) => cursor.source === source) ?? START
    }
    const feeds = driver.feeds({ subjects, wake, positionIn }, signal)
    const sources = feeds.map(({ source }) => source)
    await ensureCursors(pool, name, sources)
    const unused = driver.sources.filter((source) => !sources.includes(source))
    await deleteCursors(pool, name, unused)
    return feeds
  }

  async #process(feeds: readonly Feed[], signal: AbortSignal): Promise<void> {
    const { name, pool, log, wake, pollMs } = this.#options
    let idleMs = FIRST_IDLE_MS
    let touchAt = performance.now()
    while (!signal.aborted) {
      try {
        if (performance.now() >= touchAt) {
          await touchCursors(pool, name)
          touchAt = performance.now() + TOUCH_INTERVAL_MS
        }
        const { worked, dueMs } = await runRound(this.#options, feeds, signal)
        const woken = worked || (await wake.wait(Math.min(idleMs, dueMs), signal))
        idleMs = woken ? FIRST_IDLE_MS : Math.min(idleMs * 2, pollMs)
      } catch (error) {
        log[isDependencyFailure(error) ? 'warn' : 'error']({ consumer: name, err: error }, 'consumer failed')
        await pause(FAILED_PAUSE_MS, signal)
      }
    }
  }
}

/**
 * Retries due events before new ones, because a busy subject would otherwise never leave the retry queue. The number is
 * bounded, so that a consumer that always fails still reads new events.
 */
async function retryDue(processor: EventProcessor, signal: AbortSignal): Promise<boolean> {
  let tried = 0
  while (tried < MAX_RETRIES_PER_ROUND && !signal.aborted && (await processor.retry())) tried++
  return tried > 0
}

/** Processes due retries and a batch of each source. Returns whether there was work, and when a retry is due. */
async function runRound({ name, pool, processor }: ConsumerOptions, feeds: readonly Feed[], signal: AbortSignal) {
  const [[retry], rows] = await Promise.all([nextRetry(pool, name), listCursors(pool, name)])
  const dueMs = retry?.due_ms ?? Number.POSITIVE_INFINITY
  let worked = dueMs <= 0 && (await retryDue(processor, signal))
  const cursors = new Map(rows.map((cursor) => [cursor.source, cursor]))
  const next = async (feed: Feed) => {
    const cursor = cursors.get(feed.source)
    const batch = cursor && !signal.aborted ? await feed.next(cursor) : undefined
    return cursor && batch ? [{ cursor, batch }] : []
  }
  for (const { cursor, batch } of (await Promise.all(feeds.map(next))).flat()) {
    if (signal.aborted || (await processor.deliver(cursor, batch)) === 'moved') continue
    worked = true
  }
  return { worked, dueMs: Math.max(dueMs, FIRST_IDLE_MS) }
}
