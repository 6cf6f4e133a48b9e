import { DiscardPolicy, NatsError, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats'
import { DAY_MS, MINUTE_MS } from '../../../../proto/durations.ts'
import { STREAM_FAMILIES, type StreamName } from '../../../../proto/events/envelope.ts'
import { connectOnce, type NatsSession } from './connection.ts'
import type { Names } from './names.ts'
import type { NatsOptions } from './options.ts'

interface StreamOptions extends NatsOptions {
  /** The installation to which the streams belong, written into their description. */
  installation?: string
  /** Replicas of each stream; 3 in a cluster. */
  replicas?: number
  /** Age at which events are deleted: at least the age at which the outboxes delete theirs. */
  maxAgeDays?: number
  /** Maximum size of each stream, beyond which events stay in the outboxes. Default: unlimited. */
  maxBytes?: number
}

/** A permanent reason why the streams cannot be used, in one sentence with what to do. */
export class StreamsRefused extends Error {}

/** Within this time the server drops duplicates; later ones are dropped by the consumers. */
const DUPLICATE_WINDOW_MS = 5 * MINUTE_MS
export const STREAMS = Object.keys(STREAM_FAMILIES) as StreamName[]

/** Creates or updates the streams. It is idempotent and safe under load. */
export const ensureStreams = (options: StreamOptions): Promise<void> =>
  withStreams(options, async (session, name, present) => {
    const config = configOf(name, session.names, options)
    requireOwn(config.name, present, options)
    const { streams } = session.jsm
    await (present ? streams.update(config.name, config) : streams.add(config)).catch((error) => {
      if (!(error instanceof NatsError) || error.api_error === undefined) throw error
      throw new StreamsRefused(
        `NATS refuses the stream ${config.name}: ${error.api_error.description}.${adviceFor(error.api_error.err_code)}`,
      )
    })
  })

/** JetStream: several replicas on a single server, and fewer servers than replicas. */
const TOO_FEW_SERVERS = new Set([10005, 10074])

const adviceFor = (code: number | undefined): string =>
  TOO_FEW_SERVERS.has(code ?? 0)
    ? ' Set NATS_STREAM_REPLICAS (nats.streamReplicas of the chart) to 1 for a single server, or to at most the number of servers.'
    : ''

/** Throws if streams that an administrator manages are missing, are another's, or have other settings than needed. */
export async function requireStreams(options: StreamOptions): Promise<void> {
  const problems: string[] = []
  await withStreams(options, async ({ names }, name, present) => {
    requireOwn(names.stream(name), present, options)
    const wanted = configOf(name, names, options)
    if (present) problems.push(...differences(wanted, present).map((setting) => `${wanted.name} must have ${setting}`))
    else problems.push(`${wanted.name} is missing, with ${differences(wanted, {}).join(', ')}`)
  })
  if (problems.length > 0) throw new StreamsRefused(`The streams of NATS are incomplete: ${problems.join('; ')}.`)
}

/** The streams that do not exist. */
export async function missingStreams(options: NatsOptions): Promise<string[]> {
  const missing: string[] = []
  await withStreams(options, async ({ names }, name, present) => {
    if (!present) missing.push(names.stream(name))
  })
  return missing
}

type PerStream = (session: NatsSession, name: StreamName, present: StreamConfig | undefined) => Promise<void>

async function withStreams(options: NatsOptions, work: PerStream): Promise<void> {
  const session = await connectOnce(options, 'marketplace-streams')
  try {
    for (const name of STREAMS) await work(session, name, await findStream(session, name))
  } finally {
    await session.nc.close()
  }
}

async function findStream({ jsm, names }: NatsSession, stream: StreamName): Promise<StreamConfig | undefined> {
  try {
    return (await jsm.streams.info(names.stream(stream))).config
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined
    throw error
  }
}

/** Streams of another installation, or of another system, are left as they are. */
function requireOwn(name: string, present: StreamConfig | undefined, { installation }: StreamOptions): void {
  if (!present?.description || installation === undefined || present.description === descriptionOf(installation)) return
  throw new StreamsRefused(
    `The NATS stream ${name} belongs to another owner (${present.description}). ` +
      'Choose another NATS_PREFIX, or delete the stream if that installation has ended.',
  )
}

const descriptionOf = (installation: string) => `marketplace installation ${installation}`

const configOf = (
  name: StreamName,
  names: Names,
  { installation, replicas = 1, maxBytes = -1, maxAgeDays = 7 }: StreamOptions,
) => ({
  name: names.stream(name),
  ...(installation === undefined ? {} : { description: descriptionOf(installation) }),
  subjects: STREAM_FAMILIES[name].map((family) => names.subject(`${family}.>`)),
  storage: StorageType.File,
  num_replicas: replicas,
  retention: RetentionPolicy.Limits,
  max_age: nanos(maxAgeDays * DAY_MS),
  // A full stream refuses new events instead of losing old ones.
  discard: DiscardPolicy.New,
  max_bytes: maxBytes,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
})

type Wanted = ReturnType<typeof configOf>

/** The settings that a stream lacks, as an administrator writes them. Its size is the administrator's choice. */
function differences(wanted: Wanted, present: Partial<StreamConfig>): string[] {
  const { subjects = [], max_age: maxAge = -1 } = present
  const rules: [holds: boolean, setting: string][] = [
    [wanted.subjects.every((subject) => subjects.includes(subject)), `subjects=${wanted.subjects.join(',')}`],
    [present.storage === wanted.storage, `storage=${wanted.storage}`],
    [present.retention === wanted.retention, `retention=${wanted.retention}`],
    [present.discard === wanted.discard, `discard=${wanted.discard}`],
    [maxAge === 0 || maxAge >= wanted.max_age, `max-age=${wanted.max_age / 1e6 / DAY_MS}d or more`],
    [(present.num_replicas ?? 0) >= wanted.num_replicas, `replicas=${wanted.num_replicas}`],
    [
      (present.duplicate_window ?? 0) >= wanted.duplicate_window,
      `dupe-window=${DUPLICATE_WINDOW_MS / MINUTE_MS}m or more`,
    ],
  ]
  return rules.filter(([holds]) => !holds).map(([, setting]) => setting)
}
