import type { JsMsg } from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import { pause } from '../../worker/worker.ts'
import type { Feed } from '../consumer.ts'
import type { Batch, Received } from '../event-processor.ts'
import type { BusLog } from '../log.ts'
import type { Cursor, Position } from '../queries.ts'
import type { NatsConnection, NatsSession } from './connection.ts'
import { ensureDurable } from './durable-consumer.ts'
import { readMessage } from './message.ts'
import { pull } from './pull.ts'
import { nextStored } from './stored-message.ts'

const BATCH_MESSAGES = 64
const RETRY_PAUSE_MS = 200

interface StreamFeedOptions {
  connection: NatsConnection
  stream: StreamName
  durable: string
  filter: string | undefined
  /** The position of the consumer, from Postgres. */
  position: () => Promise<Pick<Position, 'epoch' | 'seq'>>
  log: BusLog
  /** Called when messages have arrived. */
  onMessages: () => void
}

/** The state of reading during one session. */
interface Reading {
  session: NatsSession
  /** Creation time of the stream. A recreated stream restarts its sequence. */
  epoch: string
  lastSeq: number
  /** Whether the cursor belongs to this stream. */
  isCursorValid: boolean
  /** Messages up to here may be unacknowledged by a crashed process. They are read from the stream directly. */
  uncertainUpTo: number
  waiting: JsMsg[]
  /** The last message that was delivered without a gap. */
  tail: { seq: number; delivery: number } | undefined
}

/**
 * Reads a stream through a durable consumer, strictly in the order of the stream. The cursor in Postgres is authoritative;
 * the consumer delivers new messages. Messages that a crashed process held would be redelivered late and out of order,
 * so they are read from the stream directly.
 */
export class StreamFeed implements Feed {
  readonly source: string
  readonly #options: StreamFeedOptions
  #reading: Reading | undefined
  #pending: { reading: Reading; messages: JsMsg[] } | undefined

  constructor(options: StreamFeedOptions) {
    this.source = options.stream
    this.#options = options
  }

  /** Reads until the signal, with a new session after each failure. */
  async run(ends: AbortSignal): Promise<void> {
    const { connection, log, stream } = this.#options
    for (;;) {
      const session = await connection.connected(ends)
      if (!session) return
      try {
        await this.#read(session, ends)
      } catch (error) {
        if (!ends.aborted) log.warn({ stream, err: error }, 'stream could not be read; retrying')
      }
      this.#reading = undefined
      await pause(RETRY_PAUSE_MS, ends)
    }
  }

  async #read(session: NatsSession, ends: AbortSignal): Promise<void> {
    const { stream, durable, filter, position, onMessages } = this.#options
    const { created, state } = await session.jsm.streams.info(stream)
    const { epoch, seq } = await position()
    const startSeq = epoch === String(created) ? Math.min(Number(seq), state.last_seq) + 1 : 1
    const { num_ack_pending, delivered } = await ensureDurable(session, { stream, name: durable, filter, startSeq })
    const reading: Reading = {
      session,
      epoch: String(created),
      lastSeq: state.last_seq,
      isCursorValid: false,
      uncertainUpTo: num_ack_pending > 0 ? delivered.stream_seq : 0,
      waiting: [],
      tail: undefined,
    }
    this.#reading = reading
    onMessages()
    const onMessage = (message: JsMsg) => {
      reading.waiting.push(message)
      onMessages()
    }
    await pull(session, stream, durable, onMessage, ends)
  }

  async next(cursor: Cursor): Promise<Batch | undefined> {
    this.#putBack()
    const reading = this.#reading
    if (!reading) return undefined
    reading.isCursorValid ||= cursor.epoch === reading.epoch && Number(cursor.seq) <= reading.lastSeq
    // A recreated or truncated stream is read from its start. Duplicates are dropped by id.
    const start = reading.isCursorValid ? Number(cursor.seq) : 0
    const received: Received[] = []
    const messages: JsMsg[] = []
    let at = await this.#readUncertain(reading, start, received)
    reading.waiting.sort((a, b) => a.seq - b.seq)
    while (received.length < BATCH_MESSAGES) {
      const message = reading.waiting[0]
      if (!message) break
      if (message.seq > at) {
        const missing = await this.#missingBetween(reading, at, message)
        if (missing) {
          received.push(missing.received)
          at = missing.seq
          continue
        }
        received.push(readMessage(this.source, message.seq, message.subject, message.data))
        at = message.seq
        reading.tail = message.redelivered ? undefined : { seq: at, delivery: message.info.deliverySequence }
      }
      reading.waiting.shift()
      messages.push(message)
    }
    this.#pending = { reading, messages }
    if (received.length > 0) return { received, to: { low: '0', high: '0', seq: String(at), epoch: reading.epoch } }
    // Only duplicates of committed messages.
    acknowledge(this.#pending)
    this.#pending = undefined
    return undefined
  }

  /** Reads messages from the stream that a crashed process may hold. Returns the last sequence. */
  async #readUncertain(reading: Reading, start: number, received: Received[]): Promise<number> {
    let at = start
    while (at < reading.uncertainUpTo && received.length < BATCH_MESSAGES) {
      const stored = await this.#nextStored(reading, at)
      if (!stored || stored.seq > reading.uncertainUpTo) {
        reading.uncertainUpTo = 0
        break
      }
      received.push(stored.received)
      at = stored.seq
    }
    return at
  }

  /** The stored message that precedes this one, if there is one. Consecutive delivery numbers make the look-up unnecessary. */
  async #missingBetween(reading: Reading, at: number, message: JsMsg) {
    const { tail } = reading
    const isConsecutive =
      tail?.seq === at && message.info.deliverySequence === tail.delivery + 1 && !message.redelivered
    if (isConsecutive) return undefined
    const stored = await this.#nextStored(reading, at)
    return stored && stored.seq < message.seq ? stored : undefined
  }

  #nextStored({ session }: Reading, after: number) {
    return nextStored(session, this.source, after, this.#options.filter)
  }

  /** Returns an uncommitted batch to the queue. */
  #putBack(): void {
    if (this.#pending && this.#pending.reading === this.#reading)
      this.#reading.waiting.unshift(...this.#pending.messages)
    this.#pending = undefined
  }

  /** Acknowledges after the commit. A lost acknowledgement causes a duplicate, which the cursor detects. */
  committed(): void {
    const pending = this.#pending
    this.#pending = undefined
    if (!pending) return
    pending.reading.isCursorValid = true
    acknowledge(pending)
  }
}

const acknowledge = ({ reading, messages }: { reading: Reading; messages: readonly JsMsg[] }) => {
  if (!reading.session.closed.aborted) for (const message of messages) message.ack()
}
