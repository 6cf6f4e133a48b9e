import type { SubscribedEvent } from '../../../proto/events/events.ts'
import type { ServiceName } from '../../../proto/services.ts'
import { announcerOf } from '../db/announcements.ts'
import type { Pool } from '../db/client.ts'
import type { MessageLog } from '../log/log.ts'
import { LeaderElection } from '../sessions/leader-election.ts'
import type { Notifier } from '../sessions/notifier.ts'
import { JobWorker } from '../worker/jobs.ts'
import { WakeSignal } from '../worker/wake-signal.ts'
import { aborted, pause, type Worker } from '../worker/worker.ts'
import { Consumer, consumerRole } from './consume/consumer.ts'
import { EventProcessor } from './consume/event-processor.ts'
import { countRetries, forgetConsumer } from './consume/queries.ts'
import type { DeadLetterNotice } from './consume/retry-queue.ts'
import type { ConsumeOptions, SubscribeOptions } from './driver/options.ts'
import { byStream, matcherOf } from './driver/subjects.ts'
import type { NatsOptions } from './nats/options.ts'
import { commitsOf, measureUnsent } from './outbox/queries.ts'
import { createRelay } from './outbox/relay.ts'
import { postgresDriver } from './postgres/driver.ts'
import { Heartbeats } from './subscribe/heartbeats.ts'
import { Subscriber } from './subscribe/subscriber.ts'

interface BusOptions {
  service: ServiceName
  pool: Pool
  /** URL of Postgres without a pooler, because locks need a session. */
  directUrl: string
  notifier: Notifier
  /** Without it the bus runs on Postgres. */
  nats?: NatsOptions | undefined
  log: MessageLog
  onDeadLetter?: (notice: DeadLetterNotice) => void
  timing?: Partial<BusTiming>
}

export interface BusTiming {
  /** Attempts before an event becomes a dead letter. */
  tries: number
  /** Pauses before the second attempt, the third and so on. The last one repeats. */
  backoffMs: readonly number[]
  /** Interval at which a consumer looks for due retries. */
  retrySweepMs: number
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
  retrySweepMs: 2000,
  pollMs: 1000,
  heartbeatMs: 1000,
  electionPollMs: 500,
  subscribeTimeoutMs: 3000,
}

export interface Bus {
  /** A worker that processes each event once for the whole service, in the order of its subject. */
  consume<const Subject extends string>(options: ConsumeOptions<Subject>): Worker
  /**
   * A worker that deletes the position of a consumer that the configuration turns off, because it would keep outbox
   * rows. It waits while another replica runs the consumer. Turned on again, the consumer reads what is kept and skips
   * what it has processed.
   */
  forget(name: string): Worker
  /** Delivers each event to this process as soon as it is committed, and calls `onGap` after an interruption. */
  subscribe<const Subject extends SubscribedEvent>(options: SubscribeOptions<Subject>): Promise<void>
  /** Time of the last heartbeat of a service's relay, on the clock of `performance.now()`. It needs a subscription. */
  lastHeartbeat(service: string): number
  /** The worker that publishes the outbox of this service. One process at a time runs it. */
  relay(): Worker
  lag(): Promise<BusLag>
  /** Whether this process runs the relay. */
  isLeader(): boolean
  /** Whether NATS is connected. */
  isConnected(): boolean
  /** Must be called after the workers have ended. */
  close(): Promise<void>
}

export interface BusLag {
  /** Unpublished events of this service, at most 10,000. Undefined if another process is the leader. */
  outbox: { waiting: number; oldestMs: number } | undefined
  /** Unprocessed events by consumer, of the consumers that this process leads. */
  consumers: Record<string, number>
  /** Queued retries and dead letters by consumer. Undefined if another process is the leader. */
  retries: { consumer: string; retrying: number; dead: number }[] | undefined
}

/** Measures the lag. Only the leader measures what all replicas of the service share. */
async function measureLag(pool: Pool, consumers: ReadonlyMap<string, Consumer>, isLeader: boolean): Promise<BusLag> {
  const [unsent] = isLeader ? await measureUnsent(pool) : []
  const lags = await Promise.all(
    [...consumers].map(async ([name, consumer]) => {
      const lag = await consumer.lag()
      return lag === undefined ? [] : [[name, lag] as const]
    }),
  )
  return {
    outbox: unsent && { waiting: unsent.waiting, oldestMs: unsent.oldest_ms },
    consumers: Object.fromEntries(lags.flat()),
    retries: isLeader ? await countRetries(pool) : undefined,
  }
}

/** Throws for a subject that no stream carries. */
const requireSubjects = (subjects: readonly string[]): void => void byStream(subjects)

/** The bus of one service in one process. */
export async function createBus(options: BusOptions): Promise<Bus> {
  const { service, pool, directUrl: url, notifier, nats, log } = options
  const timing = { ...TIMING, ...options.timing }
  const election = new LeaderElection({ service, url, log, pollMs: timing.electionPollMs })
  const subscribers = new Set<Subscriber>()
  const heartbeats = new Heartbeats(subscribers)
  const onHeartbeat = (name: string) => heartbeats.record(name)
  const driver =
    nats === undefined
      ? postgresDriver({ service, pool, notifier, log, onHeartbeat })
      : // The client of NATS takes some megabytes of memory, and without NATS nothing uses it.
        (await import('./nats/driver.ts')).natsDriver(nats, { service, log, onHeartbeat })
  const consumers = new Map<string, Consumer>()
  const closing = new AbortController()
  const isLeader = () => election.leads('relay')
  // On NATS only the relay waits for commits, and consumers for the messages that it publishes.
  if (nats) announcerOf(pool).keepLocal(commitsOf(service), isLeader)

  return {
    consume(consumption) {
      const { name, subjects } = consumption
      requireSubjects(subjects)
      if (consumers.has(name)) throw new Error(`consumer ${name} is already registered`)
      const onDeadLetter = options.onDeadLetter ?? (() => {})
      const retrying = { service, pool, log, ...timing, onDeadLetter }
      const processor = new EventProcessor(consumption, matcherOf(subjects), retrying)
      const jobs = { sql: pool, clock: Date.now, log, sweepMs: timing.retrySweepMs }
      const retries = new JobWorker(`retries of ${name}`, jobs, [processor.retries.kind])
      const wake = new WakeSignal()
      const consumer = new Consumer({
        name,
        subjects,
        pool,
        driver,
        election,
        processor,
        retries,
        log,
        wake,
        ...timing,
      })
      consumers.set(name, consumer)
      return consumer
    },

    forget: (name) => ({
      name: `forget ${name}`,
      async run(signal) {
        const done = new AbortController()
        await election.lead(consumerRole(name), AbortSignal.any([signal, done.signal]), async () => {
          await forgetConsumer(pool, name)
          done.abort()
        })
        await aborted(signal)
      },
    }),

    async subscribe(subscription) {
      requireSubjects(subscription.subjects)
      const subscriber = new Subscriber(subscription, log)
      subscribers.add(subscriber)
      const stop = driver.subscribe(subscriber)
      closing.signal.addEventListener('abort', () => {
        stop()
        subscriber.close()
      })
      await Promise.race([subscriber.firstCurrent, pause(timing.subscribeTimeoutMs, closing.signal)])
      // Without a connection the caller starts with the loaded state, and `lastHeartbeat` reports it as outdated.
      if (!subscriber.isCurrent()) await subscriber.reload()
    },

    lastHeartbeat: (name) => heartbeats.last(name),

    relay() {
      const wake = new WakeSignal()
      const worker = createRelay({ election, publisher: driver.publisher, wake, heartbeatMs: timing.heartbeatMs })
      return {
        name: worker.name,
        async run(signal) {
          // Without a broker the relay only marks what consumers have read, which its poll does soon enough.
          const stop = notifier.onCommit(nats ? [commitsOf(service)] : [], wake.notify)
          await worker.run(signal).finally(stop)
        },
      }
    },

    lag: () => measureLag(pool, consumers, isLeader()),
    isLeader,
    isConnected: driver.isConnected,

    async close() {
      closing.abort()
      await Promise.all([driver.close(), election.close()])
    },
  }
}
