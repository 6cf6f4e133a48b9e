import type { JsMsg } from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import { pause } from '../../worker/worker.ts'
import type { Feed } from '../consumer.ts'
import type { Batch, Incoming } from '../inbox.ts'
import type { BusLog } from '../log.ts'
import type { Cursor, Position } from '../queries.ts'
import { ensureDurable } from './durable.ts'
import type { Link, Live } from './link.ts'
import { readMessage } from './message.ts'
import { pull } from './pull.ts'
import { nextStored } from './stored.ts'

const BATCH_MESSAGES = 64
const RETRY_PAUSE_MS = 200

export interface StreamFeedOptions {
  link: Link
  stream: StreamName
  durable: string
  filter: string | undefined
  /** How far the consumer has come, as Postgres knows it. */
  position: () => Promise<Pick<Position, 'epoch' | 'seq'>>
  log: BusLog
  /** Called when messages have come. */
  onNews: () => void
}

/** One connection's worth of reading: what is known about the stream and the messages that wait. */
interface Reading {
  live: Live
  /** When the stream was created: another stream of the same name counts from one again. */
  epoch: string
  lastSeq: number
  /** Whether the cursor is known to belong to this stream as it is now. */
  cursorFits: boolean
  /** Messages up to here may be in the hands of a process that died; they are read from the stream itself. */
  doubtUpTo: number
  waiting: JsMsg[]
  /** The last message that followed its predecessor, to which the next one is compared. */
  tail: { seq: number; delivery: number } | undefined
}

/**
 * Reads a stream through a durable consumer of the server, in the order of the stream without exception. The cursor
 * in Postgres is the truth; the consumer says what is new, and acknowledges. Where it may have left something out
 * (a process died with messages in hand, and they come again only after a while) the stream is asked directly.
 */
export class StreamFeed implements Feed {
  readonly source: string
  readonly #options: StreamFeedOptions
  #reading: Reading | undefined
  #taken: { reading: Reading; messages: JsMsg[] } | undefined

  constructor(options: StreamFeedOptions) {
    this.source = options.stream
    this.#options = options
  }

  /** Keeps a reading open until the signal. */
  async run(ends: AbortSignal): Promise<void> {
    const { link, log, stream } = this.#options
    for (;;) {
      const live = await link.up(ends)
      if (!live) return
      try {
        await this.#read(live, ends)
      } catch (error) {
        if (!ends.aborted) log.warn({ stream, err: error }, 'stream cannot be read; trying again')
      }
      this.#reading = undefined
      await pause(RETRY_PAUSE_MS, ends)
    }
  }

  async #read(live: Live, ends: AbortSignal): Promise<void> {
    const { stream, durable, filter, position, onNews } = this.#options
    const { created, state } = await live.jsm.streams.info(stream)
    const { epoch, seq } = await position()
    const startSeq = epoch === String(created) ? Math.min(Number(seq), state.last_seq) + 1 : 1
    const { num_ack_pending, delivered } = await ensureDurable(live, { stream, name: durable, filter, startSeq })
    const reading: Reading = {
      live,
      epoch: String(created),
      lastSeq: state.last_seq,
      cursorFits: false,
      doubtUpTo: num_ack_pending > 0 ? delivered.stream_seq : 0,
      waiting: [],
      tail: undefined,
    }
    this.#reading = reading
    onNews()
    const onMessage = (message: JsMsg) => {
      reading.waiting.push(message)
      onNews()
    }
    await pull(live, stream, durable, onMessage, ends)
  }

  async next(cursor: Cursor): Promise<Batch | undefined> {
    this.#putBack()
    const reading = this.#reading
    if (!reading) return undefined
    reading.cursorFits ||= cursor.epoch === reading.epoch && Number(cursor.seq) <= reading.lastSeq
    // On a stream that was made anew, or came back shorter, all is read again; copies are dropped by their ids.
    const start = reading.cursorFits ? Number(cursor.seq) : 0
    const incoming: Incoming[] = []
    const messages: JsMsg[] = []
    let at = await this.#settleDoubt(reading, start, incoming)
    reading.waiting.sort((a, b) => a.seq - b.seq)
    while (incoming.length < BATCH_MESSAGES) {
      const message = reading.waiting[0]
      if (!message) break
      if (message.seq > at) {
        const missing = await this.#missingBetween(reading, at, message)
        if (missing) {
          incoming.push(missing.incoming)
          at = missing.seq
          continue
        }
        incoming.push(readMessage(this.source, message.seq, message.subject, message.data))
        at = message.seq
        reading.tail = message.redelivered ? undefined : { seq: at, delivery: message.info.deliverySequence }
      }
      reading.waiting.shift()
      messages.push(message)
    }
    this.#taken = { reading, messages }
    if (incoming.length > 0) return { incoming, to: { low: '0', high: '0', seq: String(at), epoch: reading.epoch } }
    // Copies of what is committed already.
    acknowledge(this.#taken)
    this.#taken = undefined
    return undefined
  }

  /** What may lie in the hands of a process that died, read from the stream. Answers how far that came. */
  async #settleDoubt(reading: Reading, start: number, incoming: Incoming[]): Promise<number> {
    let at = start
    while (at < reading.doubtUpTo && incoming.length < BATCH_MESSAGES) {
      const stored = await this.#nextStored(reading, at)
      if (!stored || stored.seq > reading.doubtUpTo) {
        reading.doubtUpTo = 0
        break
      }
      incoming.push(stored.incoming)
      at = stored.seq
    }
    return at
  }

  /** The message that has to come first, if there is one. The server numbers deliveries, so mostly nobody has to be asked. */
  async #missingBetween(reading: Reading, at: number, message: JsMsg) {
    const { tail } = reading
    const adjoins = tail?.seq === at && message.info.deliverySequence === tail.delivery + 1 && !message.redelivered
    if (adjoins) return undefined
    const stored = await this.#nextStored(reading, at)
    return stored && stored.seq < message.seq ? stored : undefined
  }

  #nextStored({ live }: Reading, after: number) {
    return nextStored(live, this.source, after, this.#options.filter)
  }

  /** A batch that was not committed is taken again. */
  #putBack(): void {
    if (this.#taken && this.#taken.reading === this.#reading) this.#reading.waiting.unshift(...this.#taken.messages)
    this.#taken = undefined
  }

  /** Acknowledged after the commit. A lost acknowledgement costs a copy, which the cursor knows. */
  settled(): void {
    const taken = this.#taken
    this.#taken = undefined
    if (!taken) return
    taken.reading.cursorFits = true
    acknowledge(taken)
  }
}

const acknowledge = ({ reading, messages }: { reading: Reading; messages: readonly JsMsg[] }) => {
  if (!reading.live.down.aborted) for (const message of messages) message.ack()
}
