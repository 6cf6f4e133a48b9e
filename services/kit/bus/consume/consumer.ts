import type { Pool } from '../../db/client.ts'
import type { MessageLog } from '../../log/log.ts'
import type { LeaderElection } from '../../sessions/leader-election.ts'
import type { JobWorker } from '../../worker/jobs.ts'
import type { WakeSignal } from '../../worker/wake-signal.ts'
import { levelOf, pause, superviseWorkers, type Worker } from '../../worker/worker.ts'
import type { Driver, Feed, Position } from '../driver/driver.ts'
import type { EventProcessor } from './event-processor.ts'
import { deleteCursors, ensureCursors, listCursors, touchCursors } from './queries.ts'

interface ConsumerOptions {
  name: string
  subjects: readonly string[]
  pool: Pool
  driver: Driver
  election: LeaderElection
  processor: EventProcessor
  retries: JobWorker
  log: MessageLog
  /** Notified when a source may have events. */
  wake: WakeSignal
  pollMs: number
}

const FIRST_IDLE_MS = 5
const FAILED_PAUSE_MS = 500
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
    const { election, name, retries, log } = this.#options
    return election.lead(consumerRole(name), signal, async (_session, leadership) => {
      this.#feeds = await this.#open(leadership)
      const retrying = superviseWorkers([retries], leadership, log)
      await Promise.all([this.#process(this.#feeds, leadership), retrying]).finally(() => {
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
        const worked = await runRound(this.#options, feeds, signal)
        const woken = worked || (await wake.wait(idleMs, signal))
        idleMs = woken ? FIRST_IDLE_MS : Math.min(idleMs * 2, pollMs)
      } catch (error) {
        log[levelOf(error)]({ consumer: name, err: error }, 'consumer failed')
        await pause(FAILED_PAUSE_MS, signal)
      }
    }
  }
}

/** Processes a batch of each source. Returns whether there was work. */
async function runRound(
  { name, pool, processor, retries }: ConsumerOptions,
  feeds: readonly Feed[],
  signal: AbortSignal,
) {
  const cursors = new Map((await listCursors(pool, name)).map((cursor) => [cursor.source, cursor]))
  let worked = false
  const next = async (feed: Feed) => {
    const cursor = cursors.get(feed.source)
    const batch = cursor && !signal.aborted ? await feed.next(cursor) : undefined
    return cursor && batch ? [{ cursor, batch }] : []
  }
  for (const { cursor, batch } of (await Promise.all(feeds.map(next))).flat()) {
    if (signal.aborted) break
    const outcome = await processor.deliver(cursor, batch)
    if (outcome === 'queued') retries.wake()
    worked ||= outcome !== 'moved'
  }
  return worked
}
