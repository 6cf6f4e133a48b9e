import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg, nanos } from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import { newId } from '../../db/ids.ts'
import type { NatsSession } from './connection.ts'

const FETCHED_AT_ONCE = 100
/** A fetch without messages ends after this time. The consumer is then looked up, because the server may lose it. */
const FETCH_MS = 5000
const IDLE_HEARTBEAT_MS = 1000
/** The server deletes the consumer of a lost process after this time. */
const INACTIVE_THRESHOLD_MS = 30_000

interface StreamPart {
  stream: StreamName
  startSeq: number
  filter: string | undefined
}

type OnMessage = (message: JsMsg) => void | Promise<void>

/**
 * Reads a stream from a sequence, in its order and without gaps, through a consumer of its own in the memory of the
 * server. Messages are fetched when the earlier ones were taken. The ordered consumer of the client does the same, but
 * tries for minutes to create its consumer on a closed connection.
 */
export class StreamReader {
  readonly #session: NatsSession
  readonly #part: StreamPart
  #consumer: Consumer | undefined
  #delivered = 0

  constructor(session: NatsSession, part: StreamPart) {
    this.#session = session
    this.#part = part
  }

  /** Number of messages that were not fetched. */
  async pending(): Promise<number> {
    return (await this.#consumer?.info())?.num_pending ?? 0
  }

  /** Reads until the signal aborts. Throws when the session, the stream, the consumer or a message is lost. */
  async run(onMessage: OnMessage, signal: AbortSignal): Promise<void> {
    const { js, jsm, names, closed } = this.#session
    const { startSeq, filter } = this.#part
    const stream = names.stream(this.#part.stream)
    const { name } = await jsm.consumers.add(stream, {
      name: newId('reader'),
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: startSeq,
      inactive_threshold: nanos(INACTIVE_THRESHOLD_MS),
      mem_storage: true,
      num_replicas: 1,
      ...(filter === undefined ? {} : { filter_subject: names.subject(filter) }),
    })
    const consumer = await js.consumers.get(stream, name)
    this.#consumer = consumer
    const stopped = AbortSignal.any([signal, closed])
    try {
      while (!stopped.aborted) {
        const count = await this.#fetch(consumer, onMessage, stopped)
        if (count === 0 && !stopped.aborted) await consumer.info()
      }
    } finally {
      if (!closed.aborted) void consumer.delete().catch(() => {})
    }
  }

  async #fetch(consumer: Consumer, onMessage: OnMessage, stopped: AbortSignal): Promise<number> {
    const limits = { max_messages: FETCHED_AT_ONCE, expires: FETCH_MS, idle_heartbeat: IDLE_HEARTBEAT_MS }
    const messages = await consumer.fetch(limits)
    const stop = () => messages.stop()
    stopped.addEventListener('abort', stop)
    const before = this.#delivered
    try {
      for await (const message of messages) {
        // Deliveries are numbered consecutively.
        if (message.info.deliverySequence !== ++this.#delivered) throw new Error('a message is missing')
        await onMessage(message)
        if (stopped.aborted) break
      }
    } finally {
      stopped.removeEventListener('abort', stop)
    }
    return this.#delivered - before
  }
}
