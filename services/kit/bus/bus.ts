import type { ServiceName } from '../../../proto/services.ts'
import type { Pool } from '../db/client.ts'
import { WakeSignal } from '../worker/wake-signal.ts'
import { pause, type Worker } from '../worker/worker.ts'
import { createConsumer } from './consumer.ts'
import type { FeedRequest } from './driver.ts'
import { Ear } from './ear.ts'
import { Follower } from './follower.ts'
import { Heartbeats } from './heartbeats.ts'
import { Inbox } from './inbox.ts'
import type { BusLog } from './log.ts'
import { natsDriver } from './nats/driver.ts'
import { channelOf, measureUnsent } from './outbox/queries.ts'
import { createRelay } from './outbox/relay.ts'
import type { DeadLetterNotice } from './parking.ts'
import { postgresDriver } from './postgres/driver.ts'
import { countSetAside } from './queries.ts'
import { Seats } from './seats.ts'
import { byStream, matcherOf } from './subjects.ts'
import type { Consume, Follow } from './verbs.ts'

export type { DeadLetterNotice } from './parking.ts'

export interface BusOptions {
  service: ServiceName
  pool: Pool
  /** Leads to Postgres itself, past a pooler: locks and LISTEN need a session. */
  directUrl: string
  /** JetStream; without it the bus runs on Postgres. */
  natsUrl?: string
  natsCredsFile?: string
  log: BusLog
  onDeadLetter?: (notice: DeadLetterNotice) => void
  timing?: Partial<BusTiming>
}

export interface BusTiming {
  /** Tries of an event before it is a dead letter. */
  tries: number
  /** Pauses before the second try, the third and so on; the last one repeats. */
  backoffMs: readonly number[]
  /** How long a try may take before it counts as failed, when its process does not say. */
  leaseMs: number
  /** How long a consumer without news sleeps at most. */
  pollMs: number
  heartbeatMs: number
  /** How often those who wait for a seat ask for it. */
  seatPollMs: number
  /** How long `follow` waits until it hears, before it lets the caller load its state without. */
  patienceMs: number
}

const TIMING: BusTiming = {
  tries: 5,
  backoffMs: [1000, 5000, 15_000, 60_000],
  leaseMs: 15_000,
  pollMs: 5000,
  heartbeatMs: 1000,
  seatPollMs: 500,
  patienceMs: 3000,
}

export interface Bus {
  /** A worker that handles each event once for the whole service, in the order of each subject. */
  consume(consume: Consume): Worker
  /** Tells this process of each event as soon as it is committed, and whenever it may have missed one. */
  follow(follow: Follow): Promise<Following>
  /** When the relay of a service was last heard, on the clock of `performance.now()`; only `follow` hears it. */
  lastHeard(service: string): number
  /** The worker that hands on what this service announces; one process at a time does. */
  relay(): Worker
  lag(): Promise<BusLag>
  /** After the workers have ended. */
  close(): Promise<void>
}

export interface Following {
  close(): void
}

export interface BusLag {
  /** What this service announced and was not handed on yet; 10,000 at most. */
  outbox: { waiting: number; oldestMs: number }
  /** What its consumers have not handled yet, by name; a consumer that cannot be asked now is left out. */
  consumers: Record<string, number>
  /** Events set aside for further tries, and events given up. */
  setAside: { consumer: string; parked: number; dead: number }[]
}

/** The bus of one service in one process. */
export async function createBus(options: BusOptions): Promise<Bus> {
  const { service, pool, directUrl: url, log } = options
  const timing = { ...TIMING, ...options.timing }
  const seats = new Seats({ service, url, log, pollMs: timing.seatPollMs })
  const ear = new Ear({ url, applicationName: `${service}-ear`, log })
  const followers = new Set<Follower>()
  const heartbeats = new Heartbeats(followers)
  const parts = { service, pool, ear, log, heartbeats }
  const driver =
    options.natsUrl === undefined
      ? postgresDriver(parts)
      : natsDriver(
          {
            url: options.natsUrl,
            ...(options.natsCredsFile === undefined ? {} : { credsFile: options.natsCredsFile }),
          },
          parts,
        )
  const consumers = new Map<string, FeedRequest>()
  const closing = new AbortController()

  return {
    consume({ name, subjects, handle }) {
      byStream(subjects)
      if (consumers.has(name)) throw new Error(`there is a consumer ${name} already`)
      const request = { name, subjects, wake: new WakeSignal() }
      consumers.set(name, request)
      const inbox = new Inbox({ name, subjects, handle }, matcherOf(subjects), {
        pool,
        log,
        ...timing,
        onDeadLetter: options.onDeadLetter ?? (() => {}),
      })
      const open = (ends: AbortSignal) => {
        ends.addEventListener('abort', driver.wakes(subjects, request.wake))
        return driver.feeds(request, ends)
      }
      return createConsumer({ name, pool, seats, inbox, log, wake: request.wake, open, pollMs: timing.pollMs })
    },

    async follow(follow) {
      byStream(follow.subjects)
      const follower = new Follower(follow, log)
      followers.add(follower)
      const stop = driver.follow(follower)
      const close = () => {
        stop()
        follower.close()
        followers.delete(follower)
      }
      closing.signal.addEventListener('abort', close)
      await Promise.race([follower.firstCurrent, pause(timing.patienceMs, closing.signal)])
      // Deaf for now: the caller starts with what there is, and `lastHeard` says that it is not to be relied on.
      if (!follower.isCurrent()) await follower.missed()
      return { close }
    },

    lastHeard: (name) => heartbeats.last(name),

    relay() {
      const wake = new WakeSignal()
      const listener = { channels: [channelOf(service)], heard: wake.call, deaf() {}, hearing: wake.call }
      const worker = createRelay({ seats, outlet: driver.outlet, wake, heartbeatMs: timing.heartbeatMs })
      return {
        name: worker.name,
        async run(signal) {
          const stop = ear.listen(listener)
          await worker.run(signal).finally(stop)
        },
      }
    },

    async lag() {
      const [unsent] = await measureUnsent(pool)
      const waiting = await Promise.all(
        [...consumers.values()].map(async (consumer) => {
          const lag = await driver.lag(consumer).catch(() => undefined)
          return lag === undefined ? [] : [[consumer.name, lag] as const]
        }),
      )
      return {
        outbox: { waiting: unsent?.waiting ?? 0, oldestMs: unsent?.oldest_ms ?? 0 },
        consumers: Object.fromEntries(waiting.flat()),
        setAside: await countSetAside(pool),
      }
    },

    async close() {
      closing.abort()
      await Promise.all([driver.close(), ear.close(), seats.close()])
    },
  }
}
