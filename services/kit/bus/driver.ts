import type { ServiceName } from '../../../proto/services.ts'
import type { Pool } from '../db/client.ts'
import type { WakeSignal } from '../worker/wake-signal.ts'
import type { Feed } from './consumer.ts'
import type { Heartbeats } from './heartbeats.ts'
import type { BusLog } from './log.ts'
import type { Notifier } from './notifier.ts'
import type { Publisher } from './outbox/relay.ts'
import type { Subscriber } from './subscriber.ts'

/** The interface of a bus driver. */
export interface Driver {
  publisher: Publisher
  /** Opens the sources of a consumer until the signal. */
  feeds(consumer: FeedRequest, ends: AbortSignal): Promise<Feed[]>
  /** Wakes a consumer when events may be available. Returns a function that stops it. */
  wakeOnEvents(subjects: readonly string[], wake: WakeSignal): () => void
  /** Delivers events to a subscriber. Returns a function that stops it. */
  subscribe(subscriber: Subscriber): () => void
  /** Number of unprocessed events of a consumer, at most 10,000. */
  lag(consumer: FeedRequest): Promise<number>
  close(): Promise<void>
}

export interface FeedRequest {
  name: string
  subjects: readonly string[]
  wake: WakeSignal
}

export interface DriverOptions {
  service: ServiceName
  pool: Pool
  notifier: Notifier
  log: BusLog
  heartbeats: Heartbeats
}
