import { AckPolicy, type ConsumerInfo, DeliverPolicy, NatsError, nanos } from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import type { Live } from './link.ts'

const ACK_WAIT_MS = 30_000
/** Messages that a process may have in hand, and in memory. */
const MAX_ACK_PENDING = 256

export interface Durable {
  stream: StreamName
  name: string
  filter: string | undefined
  /** Where a consumer that has to be made begins. */
  startSeq: number
}

/**
 * The durable consumer of a stream, made if it is missing, and made anew if it has another filter: subjects may change
 * with a release, but a server before 2.10 passes over events when a filter is exchanged. What was read is known in
 * Postgres, so a new consumer goes on from there. It never gives an event up by itself: tries are counted in Postgres.
 */
export async function ensureDurable(live: Live, { stream, name, filter, startSeq }: Durable): Promise<ConsumerInfo> {
  const { consumers } = live.jsm
  const present = await unlessMissing(consumers.info(stream, name))
  if (present && present.config.filter_subject === filter) return present
  if (present) await consumers.delete(stream, name)
  return consumers.add(stream, {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: startSeq,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MAX_ACK_PENDING,
    max_deliver: -1,
    ...(filter === undefined ? {} : { filter_subject: filter }),
  })
}

/** What the server answers, or nothing where it knows no such stream or consumer. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined
    throw error
  }
}
