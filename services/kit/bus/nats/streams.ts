import { DiscardPolicy, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats'
import { STREAM_FAMILIES, type StreamName } from '../../../../proto/events/envelope.ts'
import type { BusLog } from '../log.ts'
import { commonFilter } from '../subjects.ts'
import { ensureDurable, unlessMissing } from './durable.ts'
import { connectOnce, type Live, type NatsAddress } from './link.ts'

/** Core subject of the heartbeats: outside of every stream, or `identity.heartbeat` would be stored with `identity.>`. */
export const HEARTBEAT_SUBJECT = 'heartbeat'

/**
 * The narrowest filter for these subjects of a stream. NOTIFICATIONS is always read whole: a consumer with another
 * filter has to be made anew, and the moment without it would lose what came in that moment.
 */
export const filterOf = (stream: StreamName, subjects: readonly string[]): string | undefined =>
  stream === 'NOTIFICATIONS' ? undefined : commonFilter(subjects)

/** Consumers that must be there before the first notification: without one, the stream would have nobody to keep it for. */
const NOTIFICATION_READERS = ['webhooks-ingest']

export interface StreamOptions extends NatsAddress {
  /** Copies of each stream: 3 in a cluster. */
  replicas?: number
  /** How long DOMAIN keeps events, read or not. No longer than sent rows stay in the outbox. */
  domainMaxAgeDays?: number
  /** What each stream may hold; beyond it new events are refused and wait in the outboxes. Unlimited by default. */
  maxBytes?: number
  log?: BusLog
}

/** Within this time a second copy of an event is dropped by the server; later ones are dropped by the consumers. */
const DUPLICATE_WINDOW_MS = 5 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

/** Creates or adjusts the streams. Safe to repeat, and to run while events flow. */
export async function ensureStreams(options: StreamOptions): Promise<void> {
  const live = await connectOnce(options, 'marketplace-streams')
  try {
    await ensureStream(live, {
      ...commonConfig('DOMAIN', options),
      retention: RetentionPolicy.Limits,
      max_age: nanos((options.domainMaxAgeDays ?? 7) * DAY_MS),
    })
    await ensureNotifications(live, options)
  } finally {
    await live.nc.close()
  }
}

/**
 * NOTIFICATIONS keeps an event until every consumer has acknowledged it, however long that takes; but with no consumer
 * it would keep none. So it takes no event before its consumer exists: until then a publisher gets no answer and waits.
 */
async function ensureNotifications(live: Live, options: StreamOptions): Promise<void> {
  const config = { ...commonConfig('NOTIFICATIONS', options), retention: RetentionPolicy.Interest, max_age: 0 }
  if (!(await streamExists(live, 'NOTIFICATIONS'))) {
    await live.jsm.streams.add({ ...config, subjects: ['NOTIFICATIONS.setup'] })
  }
  for (const reader of NOTIFICATION_READERS) {
    await ensureDurable(live, { stream: 'NOTIFICATIONS', name: reader, filter: undefined, startSeq: 1 })
  }
  await live.jsm.streams.update('NOTIFICATIONS', config)
}

async function ensureStream(live: Live, config: Partial<StreamConfig> & { name: StreamName }): Promise<void> {
  if (await streamExists(live, config.name)) await live.jsm.streams.update(config.name, config)
  else await live.jsm.streams.add(config)
}

const streamExists = async (live: Live, stream: StreamName) =>
  (await unlessMissing(live.jsm.streams.info(stream))) !== undefined

const commonConfig = (name: StreamName, { replicas = 1, maxBytes = -1 }: StreamOptions) => ({
  name,
  subjects: STREAM_FAMILIES[name].map((family) => `${family}.>`),
  storage: StorageType.File,
  num_replicas: replicas,
  // A full stream refuses what is new; to forget what is old would lose it.
  discard: DiscardPolicy.New,
  max_bytes: maxBytes,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
})
