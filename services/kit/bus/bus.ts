import type { ServiceName } from '../../../proto/services.ts'
import type { Pool } from '../db/client.ts'
import { WakeSignal } from '../worker/wake-signal.ts'
import { pause, type Worker } from '../worker/worker.ts'
import { createConsumer } from './consumer.ts'
import type { FeedRequest } from './driver.ts'
import { EventProcessor } from './event-processor.ts'
import { Heartbeats } from './heartbeats.ts'
import { LeaderElection } from './leader-election.ts'
import type { BusLog } from './log.ts'
import { natsDriver } from './nats/driver.ts'
import { Notifier } from './notifier.ts'
import type { ConsumeOptions, SubscribeOptions } from './options.ts'
import { channelOf, measureUnsent } from './outbox/queries.ts'
import { createRelay } from './outbox/relay.ts'
import { postgresDriver } from './postgres/driver.ts'
import { countRetries } from './queries.ts'
import type { DeadLetterNotice } from './retry-queue.ts'
import { byStream, matcherOf } from './subjects.ts'
import { Subscriber } from './subscriber.ts'

export type { DeadLetterNotice } from './retry-queue.ts'

interface BusOptions {
  service: ServiceName
  pool: Pool
  /** URL of Postgres without a pooler, because locks and LISTEN need a session. */
  directUrl: string
  /** URL of NATS. Without it the bus runs on Postgres. */
  natsUrl?: string
  natsCredsFile?: string
  log: BusLog
  onDeadLetter?: (notice: DeadLetterNotice) => void
  timing?: Partial<BusTiming>
}

export interface BusTiming {
  /** Attempts before an event becomes a dead letter. */
  tries: number
  /** Pauses before the second attempt, the third and so on. The last one repeats. */
  backoffMs: readonly number[]
  /** Lease of an attempt, after which it counts as crashed. */
  leaseMs: number
  /** Longest pause of an idle consumer. */
  pollMs: number
  heartbeatMs: number
  /** Interval at which a process that is not the leader tries to become it. */
  electionPollMs: number
  /** Time that `subscribe` waits for its subscription before it loads the state without one. */
  subscribeTimeoutMs: number
}

const TIMING: BusTiming = {
  tries: 5,
  backoffMs: [1000, 5000, 15_000, 60_000],
  leaseMs: 15_000,
  pollMs: 5000,
  heartbeatMs: 1000,
  electionPollMs: 500,
  subscribeTimeoutMs: 3000,
}

export interface Bus {
  /** A worker that processes each event once for the whole service, in the order of its subject. */
  consume(options: ConsumeOptions): Worker
  /** Delivers each event to this process as soon as it is committed, and calls `onGap` after an interruption. */
  subscribe(options: SubscribeOptions): Promise<Subscription>
  /** Time of the last heartbeat of a service's relay, on the clock of `performance.now()`. It needs a subscription. */
  lastHeartbeat(service: string): number
  /** The worker that publishes the outbox of this service. One process at a time runs it. */
  relay(): Worker
  /**
   * Calls a function with the payload of each NOTIFY on a channel, and without one when some may have been missed. Returns a
   * function that ends it.
   */
  onNotify(channel: string, notify: (payload?: string) => void): () => void
  lag(): Promise<BusLag>
  /** Must be called after the workers have ended. */
  close(): Promise<void>
}

interface Subscription {
  close(): void
}

export interface BusLag {
  /** Unpublished events of this service, at most 10,000. */
  outbox: { waiting: number; oldestMs: number }
  /** Unprocessed events by consumer. Consumers whose lag is unavailable are left out. */
  consumers: Record<string, number>
  /** Queued retries and dead letters by consumer. */
  retries: { consumer: string; retrying: number; dead: number }[]
}

/** The bus of one service in one process. */
export async function createBus(options: BusOptions): Promise<Bus> {
  const { service, pool, directUrl: url, log } = options
  const timing = { ...TIMING, ...options.timing }
  const election = new LeaderElection({ service, url, log, pollMs: timing.electionPollMs })
  const notifier = new Notifier({ url, applicationName: `${service}-notifier`, log })
  const subscribers = new Set<Subscriber>()
  const heartbeats = new Heartbeats(subscribers)
  const driverOptions = { service, pool, notifier, log, heartbeats }
  const driver =
    options.natsUrl === undefined
      ? postgresDriver(driverOptions)
      : natsDriver(
          {
            url: options.natsUrl,
            ...(options.natsCredsFile === undefined ? {} : { credsFile: options.natsCredsFile }),
          },
          driverOptions,
        )
  const consumers = new Map<string, FeedRequest>()
  const closing = new AbortController()
  const onNotify: Bus['onNotify'] = (channel, notify) =>
    notifier.listen({
      channels: [channel],
      onNotification: (_channel, payload) => notify(payload),
      onDisconnected() {},
      onListening: () => notify(),
    })

  return {
    consume(consume) {
      const { name, subjects } = consume
      byStream(subjects)
      if (consumers.has(name)) throw new Error(`consumer ${name} is already registered`)
      const request = { name, subjects, wake: new WakeSignal() }
      consumers.set(name, request)
      const processor = new EventProcessor(consume, matcherOf(subjects), {
        service,
        pool,
        log,
        ...timing,
        onDeadLetter: options.onDeadLetter ?? (() => {}),
      })
      const open = (ends: AbortSignal) => {
        ends.addEventListener('abort', driver.wakeOnEvents(subjects, request.wake))
        return driver.feeds(request, ends)
      }
      return createConsumer({ name, pool, election, processor, log, wake: request.wake, open, pollMs: timing.pollMs })
    },

    async subscribe(subscription) {
      byStream(subscription.subjects)
      const subscriber = new Subscriber(subscription, log)
      subscribers.add(subscriber)
      const stop = driver.subscribe(subscriber)
      const close = () => {
        stop()
        subscriber.close()
        subscribers.delete(subscriber)
      }
      closing.signal.addEventListener('abort', close)
      await Promise.race([subscriber.firstCurrent, pause(timing.subscribeTimeoutMs, closing.signal)])
      // Without a connection the caller starts with the loaded state, and `lastHeartbeat` reports it as outdated.
      if (!subscriber.isCurrent()) await subscriber.reload()
      return { close }
    },

    lastHeartbeat: (name) => heartbeats.last(name),

    relay() {
      const wake = new WakeSignal()
      const worker = createRelay({ election, publisher: driver.publisher, wake, heartbeatMs: timing.heartbeatMs })
      return {
        name: worker.name,
        async run(signal) {
          const stop = onNotify(channelOf(service), wake.notify)
          await worker.run(signal).finally(stop)
        },
      }
    },

    onNotify,

    async lag() {
      const [unsent] = await measureUnsent(pool)
      const lags = await Promise.all(
        [...consumers.values()].map(async (consumer) => {
          const lag = await driver.lag(consumer).catch(() => undefined)
          return lag === undefined ? [] : [[consumer.name, lag] as const]
        }),
      )
      return {
        outbox: { waiting: unsent?.waiting ?? 0, oldestMs: unsent?.oldest_ms ?? 0 },
        consumers: Object.fromEntries(lags.flat()),
        retries: await countRetries(pool),
      }
    },

    async close() {
      closing.abort()
      await Promise.all([driver.close(), notifier.close(), election.close()])
    },
  }
}
