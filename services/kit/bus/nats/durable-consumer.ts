import { AckPolicy, type ConsumerInfo, DeliverPolicy, NatsError, nanos } from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import type { NatsSession } from './connection.ts'

const ACK_WAIT_MS = 30_000
/** Messages that a process holds in memory without acknowledgement. */
const MAX_ACK_PENDING = 256

export const durableName = (service: string, consumer: string) => `${service}-${consumer}`

interface Durable {
  stream: StreamName
  name: string
  filter: string | undefined
  /** First sequence of a consumer that has to be created. */
  startSeq: number
}

/**
 * Ensures the durable consumer of a stream. A consumer with another filter is recreated, because NATS before 2.10 skips
 * events when a filter changes. The position is stored in Postgres, so a new consumer continues there. Redelivery is
 * unlimited, because attempts are counted in Postgres.
 */
export async function ensureDurable(
  session: NatsSession,
  { stream, name, filter, startSeq }: Durable,
): Promise<ConsumerInfo> {
  const { consumers } = session.jsm
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

/** The answer of the server; undefined if the stream or consumer does not exist. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined
    throw error
  }
}
