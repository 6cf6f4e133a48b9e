import type { JsMsg } from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import type { MessageLog } from '../../log/log.ts'
import { WakeSignal } from '../../worker/wake-signal.ts'
import type { Batch, Cursor, Feed, Position } from '../driver/driver.ts'
import type { NatsConnection, NatsSession } from './connection.ts'
import { readMessage } from './message.ts'
import type { Names } from './names.ts'
import { StreamReader } from './stream-reader.ts'

const BATCH_MESSAGES = 64
/** Messages in memory that were not processed yet. */
const MAX_WAITING = 256
const RECHECK_MS = 200

interface StreamFeedOptions {
  connection: NatsConnection
  stream: StreamName
  filter: string | undefined
  /** The position of the consumer, from Postgres. */
  position: () => Promise<Position>
  log: MessageLog
  /** Notified when messages have arrived. */
  wake: WakeSignal
}

/** The state of reading during one session. */
interface Reading {
  names: Names
  /** Creation time of the stream. A stream that was created again restarts its sequence. */
  epoch: string
  /** The highest sequence that is known to exist. A cursor above it belongs to a stream that was truncated since. */
  lastSeq: number
  reader: StreamReader
  waiting: JsMsg[]
}

/** Reads a stream from the cursor in Postgres, the only record of what was processed. */
export class StreamFeed implements Feed {
  readonly source: string
  readonly #options: StreamFeedOptions
  /** Notified when processed messages were removed from memory. */
  readonly #removed = new WakeSignal()
  #reading: Reading | undefined

  constructor(options: StreamFeedOptions) {
    this.source = options.stream
    this.#options = options
  }

  /** Reads until the signal aborts, with a new session after each failure. */
  run(signal: AbortSignal): Promise<void> {
    const { connection, log, stream } = this.#options
    return connection.onEachSession({ stream, signal, log }, (session) =>
      this.#read(session, signal).finally(() => {
        this.#reading = undefined
      }),
    )
  }

  async #read(session: NatsSession, signal: AbortSignal): Promise<void> {
    const { stream, filter, position, wake } = this.#options
    const { created, state } = await session.jsm.streams.info(session.names.stream(stream))
    const [epoch, lastSeq] = [String(created), state.last_seq]
    const after = seqIn(await position(), { epoch, lastSeq })
    const reader = new StreamReader(session, { stream, startSeq: after + 1, filter })
    const reading: Reading = { names: session.names, epoch, lastSeq, reader, waiting: [] }
    this.#reading = reading
    const onMessage = async (message: JsMsg) => {
      reading.waiting.push(message)
      reading.lastSeq = Math.max(reading.lastSeq, message.seq)
      wake.notify()
      while (reading.waiting.length >= MAX_WAITING && !signal.aborted && !session.closed.aborted) {
        await this.#removed.wait(RECHECK_MS, signal)
      }
    }
    await reader.run(onMessage, signal)
  }

  async next(cursor: Cursor): Promise<Batch | undefined> {
    const reading = this.#reading
    if (!reading) return undefined
    const after = seqIn(cursor, reading)
    const processed = reading.waiting.findIndex(({ seq }) => seq > after)
    reading.waiting.splice(0, processed === -1 ? reading.waiting.length : processed)
    this.#removed.notify()
    const messages = reading.waiting.slice(0, BATCH_MESSAGES)
    const last = messages.at(-1)
    if (!last) return undefined
    const received = messages.map(({ seq, subject, data }) =>
      readMessage(this.source, seq, reading.names.typeOf(subject), data),
    )
    return { received, to: { low: '0', high: '0', seq: String(last.seq), epoch: reading.epoch } }
  }

  async lag(cursor: Cursor): Promise<number | undefined> {
    const reading = this.#reading
    if (!reading) return undefined
    const after = seqIn(cursor, reading)
    const waiting = reading.waiting.filter(({ seq }) => seq > after).length
    return waiting + (await reading.reader.pending())
  }
}

/**
 * The sequence after which a consumer reads: 0 if its position is of another stream, which was deleted or truncated.
 * The stream is then read from its start, and duplicates are dropped by id.
 */
const seqIn = ({ epoch, seq }: Position, stream: { epoch: string; lastSeq: number }): number =>
  epoch === stream.epoch && Number(seq) <= stream.lastSeq ? Number(seq) : 0
