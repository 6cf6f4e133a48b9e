import type { JsMsg } from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import type { MessageLog } from '../../log/log.ts'
import type { EventReceiver } from '../driver/driver.ts'
import { byStream, commonFilter } from '../driver/subjects.ts'
import type { NatsConnection, NatsSession } from './connection.ts'
import { readMessage } from './message.ts'
import { StreamReader } from './stream-reader.ts'

/**
 * Delivers new events to a subscriber. It counts as connected while all its streams are connected. After an
 * interruption it reconnects and reloads.
 */
export function subscribeToStreams(connection: NatsConnection, receiver: EventReceiver, log: MessageLog): () => void {
  const closed = new AbortController()
  const streams = [...byStream(receiver.subjects)]
  let connectedStreams = 0
  const status = {
    connected: () => {
      if (++connectedStreams === streams.length) void receiver.connected()
    },
    disconnected: () => {
      connectedStreams--
      receiver.disconnected()
    },
  }
  for (const [stream, subjects] of streams) {
    const follow = (session: NatsSession) =>
      followStream(session, { stream, filter: commonFilter(subjects) }, { receiver, status, log }, closed.signal)
    void connection.onEachSession({ stream, signal: closed.signal, log }, follow)
  }
  return () => closed.abort()
}

interface Follower {
  receiver: EventReceiver
  status: { connected(): void; disconnected(): void }
  log: MessageLog
}

/** Reads from the last sequence, because the delivery policy `new` skips events before the consumer exists. */
async function followStream(
  session: NatsSession,
  { stream, filter }: { stream: StreamName; filter: string | undefined },
  { receiver, status, log }: Follower,
  signal: AbortSignal,
): Promise<void> {
  const { state } = await session.jsm.streams.info(session.names.stream(stream))
  const onMessage = ({ seq, subject, data }: JsMsg) => {
    const received = readMessage(stream, seq, session.names.typeOf(subject), data)
    if ('event' in received) receiver.receive(received.event)
    else log.warn({ stream, ...received.malformed, text: undefined }, 'malformed message')
  }
  status.connected()
  try {
    await new StreamReader(session, { stream, startSeq: state.last_seq + 1, filter }).run(onMessage, signal)
  } finally {
    status.disconnected()
  }
}
