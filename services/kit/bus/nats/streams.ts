import { DiscardPolicy, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats'
import { NOTIFICATIONS_CONSUMERS, STREAM_FAMILIES, type StreamName } from '../../../../proto/events/envelope.ts'
import { commonFilter } from '../subjects.ts'
import { connectOnce, type NatsAddress, type NatsSession } from './connection.ts'
import { durableName, ensureDurable, unlessMissing } from './durable-consumer.ts'

/** Core NATS subject of the heartbeats, outside of every stream so that they are not stored. */
export const HEARTBEAT_SUBJECT = 'heartbeat'

/**
 * The narrowest filter for these subjects. NOTIFICATIONS is read without a filter, because changing a filter recreates the
 * consumer, and events published in between would be lost.
 */
export const filterOf = (stream: StreamName, subjects: readonly string[]): string | undefined =>
  stream === 'NOTIFICATIONS' ? undefined : commonFilter(subjects)

interface StreamOptions extends NatsAddress {
  /** Replicas of each stream; 3 in a cluster. */
  replicas?: number
  /** Retention of DOMAIN. It must not exceed that of published outbox rows. */
  domainMaxAgeDays?: number
  /** Maximum size of each stream, beyond which events stay in the outboxes. Default: unlimited. */
  maxBytes?: number
}

/** Within this time the server drops duplicates; later ones are dropped by the consumers. */
const DUPLICATE_WINDOW_MS = 5 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

/** Creates or updates the streams. It is idempotent and safe under load. */
export async function ensureStreams(options: StreamOptions): Promise<void> {
  const session = await connectOnce(options, 'marketplace-streams')
  try {
    await ensureStream(session, {
      ...commonConfig('DOMAIN', options),
      retention: RetentionPolicy.Limits,
      max_age: nanos((options.domainMaxAgeDays ?? 7) * DAY_MS),
    })
    await ensureNotifications(session, options)
  } finally {
    await session.nc.close()
  }
}

/** The streams that do not exist. */
export async function missingStreams(address: NatsAddress): Promise<StreamName[]> {
  const session = await connectOnce(address, 'marketplace-streams')
  try {
    const names = Object.keys(STREAM_FAMILIES) as StreamName[]
    const exist = await Promise.all(names.map((name) => streamExists(session, name)))
    return names.filter((_, at) => !exist[at])
  } finally {
    await session.nc.close()
  }
}

/**
 * NOTIFICATIONS keeps an event until every consumer has acknowledged it, and keeps none without a consumer. So its subjects
 * are added after its consumers, and publishers wait until then.
 */
async function ensureNotifications(session: NatsSession, options: StreamOptions): Promise<void> {
  const config = { ...commonConfig('NOTIFICATIONS', options), retention: RetentionPolicy.Interest, max_age: 0 }
  if (!(await streamExists(session, 'NOTIFICATIONS'))) {
    await session.jsm.streams.add({ ...config, subjects: ['NOTIFICATIONS.setup'] })
  }
  for (const [service, name] of Object.entries(NOTIFICATIONS_CONSUMERS)) {
    const durable = durableName(service, name)
    await ensureDurable(session, { stream: 'NOTIFICATIONS', name: durable, filter: undefined, startSeq: 1 })
  }
  await session.jsm.streams.update('NOTIFICATIONS', config)
}

async function ensureStream(session: NatsSession, config: Partial<StreamConfig> & { name: StreamName }): Promise<void> {
  if (await streamExists(session, config.name)) await session.jsm.streams.update(config.name, config)
  else await session.jsm.streams.add(config)
}

const streamExists = async (session: NatsSession, stream: StreamName) =>
  (await unlessMissing(session.jsm.streams.info(stream))) !== undefined

const commonConfig = (name: StreamName, { replicas = 1, maxBytes = -1 }: StreamOptions) => ({
  name,
  subjects: STREAM_FAMILIES[name].map((family) => `${family}.>`),
  storage: StorageType.File,
  num_replicas: replicas,
  // A full stream refuses new events instead of losing old ones.
  discard: DiscardPolicy.New,
  max_bytes: maxBytes,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
})
