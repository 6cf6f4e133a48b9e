import { AckPolicy, DeliverPolicy, nanos } from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import { newId } from '../../db/ids.ts'
import { pause } from '../../worker/worker.ts'
import type { BusLog } from '../log.ts'
import { byStream, commonFilter } from '../subjects.ts'
import type { Subscriber } from '../subscriber.ts'
import type { NatsConnection, NatsSession } from './connection.ts'
import { readMessage } from './message.ts'
import { pull } from './pull.ts'

const RETRY_PAUSE_MS = 200
/** The server deletes the consumer of a lost process after this time. */
const INACTIVE_THRESHOLD_MS = 30_000

/**
 * Delivers new events to a subscriber through an ephemeral consumer on each stream. The subscriber counts as connected
 * while all streams are connected. After an interruption it reconnects and reloads.
 */
export function subscribeToStreams(connection: NatsConnection, subscriber: Subscriber, log: BusLog): () => void {
  const closed = new AbortController()
  const streams = [...byStream(subscriber.subjects)]
  let connectedStreams = 0
  const status = {
    connected: () => {
      if (++connectedStreams === streams.length) void subscriber.connected()
    },
    disconnected: () => {
      connectedStreams--
      subscriber.disconnected()
    },
  }
  for (const [stream, subjects] of streams) {
    void subscribeToStream(connection, stream, commonFilter(subjects), subscriber, status, log, closed.signal)
  }
  return () => closed.abort()
}

interface StreamStatus {
  connected(): void
  disconnected(): void
}

async function subscribeToStream(
  connection: NatsConnection,
  stream: StreamName,
  filter: string | undefined,
  subscriber: Subscriber,
  status: StreamStatus,
  log: BusLog,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const session = await connection.connected(signal)
    if (!session) return
    try {
      const consumer = await createConsumer(session, stream, filter)
      status.connected()
      try {
        await listen(session, stream, consumer, subscriber, log, signal)
      } finally {
        status.disconnected()
      }
      if (signal.aborted) await session.jsm.consumers.delete(stream, consumer).catch(() => {})
    } catch (error) {
      if (!signal.aborted) log.warn({ stream, err: error }, 'subscription to the stream failed; retrying')
    }
    await pause(RETRY_PAUSE_MS, signal)
  }
}

/** Creates a consumer for the events from now on. The sequence is exact, unlike the delivery policy `new`. */
async function createConsumer(session: NatsSession, stream: StreamName, filter: string | undefined): Promise<string> {
  const { state } = await session.jsm.streams.info(stream)
  const { name } = await session.jsm.consumers.add(stream, {
    name: newId('subscribe'),
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: state.last_seq + 1,
    inactive_threshold: nanos(INACTIVE_THRESHOLD_MS),
    mem_storage: true,
    num_replicas: 1,
    ...(filter === undefined ? {} : { filter_subject: filter }),
  })
  return name
}

async function listen(
  session: NatsSession,
  stream: StreamName,
  consumer: string,
  subscriber: Subscriber,
  log: BusLog,
  signal: AbortSignal,
): Promise<void> {
  const gap = new AbortController()
  let deliveries = 0
  const onMessage = (message: Parameters<Parameters<typeof pull>[3]>[0]) => {
    // Deliveries are numbered consecutively, so a gap means a lost message.
    if (message.info.deliverySequence !== ++deliveries) return gap.abort()
    const received = readMessage(stream, message.seq, message.subject, message.data)
    if ('event' in received) subscriber.receive(received.event)
    else log.warn({ stream, ...received.malformed, text: undefined }, 'malformed message')
  }
  await pull(session, stream, consumer, onMessage, AbortSignal.any([signal, gap.signal]))
}
