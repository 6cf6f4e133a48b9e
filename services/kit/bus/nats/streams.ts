import { DiscardPolicy, NatsError, nanos, RetentionPolicy, StorageType } from 'nats'
import { STREAM_FAMILIES, type StreamName } from '../../../../proto/events/envelope.ts'
import { connectOnce, type NatsAddress, type NatsSession } from './connection.ts'

/** Core NATS subject of the heartbeats, outside of every stream so that they are not stored. */
export const HEARTBEAT_SUBJECT = 'heartbeat'

interface StreamOptions extends NatsAddress {
  /** Replicas of each stream; 3 in a cluster. */
  replicas?: number
  /** Age at which events are deleted: at least the age at which the outboxes delete theirs. */
  maxAgeDays?: number
  /** Maximum size of each stream, beyond which events stay in the outboxes. Default: unlimited. */
  maxBytes?: number
}

/** Within this time the server drops duplicates; later ones are dropped by the consumers. */
const DUPLICATE_WINDOW_MS = 5 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000
export const STREAMS = Object.keys(STREAM_FAMILIES) as StreamName[]

/** Creates or updates the streams. It is idempotent and safe under load. */
export async function ensureStreams(options: StreamOptions): Promise<void> {
  const session = await connectOnce(options, 'marketplace-streams')
  try {
    for (const name of STREAMS) {
      const config = configOf(name, options)
      if (await streamExists(session, name)) await session.jsm.streams.update(name, config)
      else await session.jsm.streams.add(config)
    }
  } finally {
    await session.nc.close()
  }
}

/** The streams that do not exist. */
export async function missingStreams(address: NatsAddress): Promise<StreamName[]> {
  const session = await connectOnce(address, 'marketplace-streams')
  try {
    const exist = await Promise.all(STREAMS.map((name) => streamExists(session, name)))
    return STREAMS.filter((_, at) => !exist[at])
  } finally {
    await session.nc.close()
  }
}

async function streamExists(session: NatsSession, stream: StreamName): Promise<boolean> {
  try {
    await session.jsm.streams.info(stream)
    return true
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return false
    throw error
  }
}

const configOf = (name: StreamName, { replicas = 1, maxBytes = -1, maxAgeDays = 7 }: StreamOptions) => ({
  name,
  subjects: STREAM_FAMILIES[name].map((family) => `${family}.>`),
  storage: StorageType.File,
  num_replicas: replicas,
  retention: RetentionPolicy.Limits,
  max_age: nanos(maxAgeDays * DAY_MS),
  // A full stream refuses new events instead of losing old ones.
  discard: DiscardPolicy.New,
  max_bytes: maxBytes,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
})
