import type { ServiceName } from '../../../proto/services.ts'
import type { Pool } from '../db/client.ts'
import type { WakeSignal } from '../worker/wake-signal.ts'
import type { Feed } from './consumer.ts'
import type { Ear } from './ear.ts'
import type { Follower } from './follower.ts'
import type { Heartbeats } from './heartbeats.ts'
import type { BusLog } from './log.ts'
import type { Outlet } from './outbox/relay.ts'

/** What differs between the drivers of the bus. */
export interface Driver {
  outlet: Outlet
  /** Opens the sources of a consumer until the signal, and calls when one of them may have something. */
  feeds(consumer: FeedRequest, ends: AbortSignal): Promise<Feed[]>
  /** Wakes a consumer for as long as its worker runs. */
  wakes(subjects: readonly string[], wake: WakeSignal): () => void
  /** Lets a follower hear. The answer ends it. */
  follow(follower: Follower): () => void
  /** Events that wait for a consumer, 10,000 at most. */
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
  ear: Ear
  log: BusLog
  heartbeats: Heartbeats
}
