import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import type { Envelope } from '../../../proto/events/envelope.ts'
import type { Pool, Tx } from '../db/client.ts'
import { isDependencyFailure } from '../db/failures.ts'
import type { BusLog, Consume } from './bus.ts'
import {
  beginAttempt,
  bury,
  type Cursor,
  claimParked,
  deleteParked,
  listHeldBack,
  lockCursor,
  lockParked,
  markSeen,
  moveCursor,
  type ParkedEvent,
  type Position,
  park,
  postponeParked,
} from './queries.ts'
import { remoteSpan } from './trace-context.ts'

/** What came from a source: an event, or something that is none. */
export type Incoming = { event: Envelope } | { malformed: Malformed }

export interface Malformed {
  /** Where it lay, since it has no id that could be relied on. */
  id: string
  text: string
  reason: string
}

export interface Batch {
  incoming: readonly Incoming[]
  /** Where the cursor stands when all of it is handled. */
  to: Position
}

export interface DeadLetterNotice {
  consumer: string
  eventId: string
  type: string | undefined
  tries: number
  error: string
}

export interface InboxOptions {
  pool: Pool
  log: BusLog
  tries: number
  /** Pauses before the second try, the third and so on; the last one repeats. */
  backoffMs: readonly number[]
  /** How long a try may take before another process may begin the next one. */
  leaseMs: number
  onDeadLetter: (notice: DeadLetterNotice) => void
}

const MAX_ERROR_CHARACTERS = 500
const MAX_MALFORMED_CHARACTERS = 64 * 1024

/**
 * What a consumer does with events, whatever brought them. A batch is handled in one transaction with its cursor and
 * its rows in `bus_seen`. When that fails its events are set aside and tried one by one, those of one subject in their
 * order, while later events of other subjects go on.
 */
export class Inbox {
  readonly #consume: Consume
  readonly #options: InboxOptions
  readonly #matches: (type: string) => boolean

  constructor(consume: Consume, matches: (type: string) => boolean, options: InboxOptions) {
    this.#consume = consume
    this.#matches = matches
    this.#options = options
  }

  /** Handles a batch and moves the cursor, or does neither; `moved` says that another process was quicker. */
  async deliver(cursor: Cursor, batch: Batch): Promise<'done' | 'moved'> {
    const { pool } = this.#options
    const events = batch.incoming.flatMap((one) => ('event' in one && this.#matches(one.event.type) ? [one.event] : []))
    const malformed = batch.incoming.flatMap((one) => ('malformed' in one ? [one.malformed] : []))
    if (events.length === 0 && malformed.length === 0) {
      const { count } = await moveCursor(pool, cursor, batch.to)
      return count === 0 ? 'moved' : 'done'
    }
    const [attempt] = await beginAttempt(pool, cursor)
    if (!attempt) return 'moved'
    // Somebody died, or lost the database, in the middle of this batch: one of its events may be the reason.
    const outcome =
      attempt.attempts > 1
        ? await this.#setAside(cursor, batch.to, events, malformed)
        : await this.#handleOrSetAside(cursor, batch.to, events, malformed)
    if (outcome === 'done') this.#reportMalformed(malformed)
    return outcome
  }

  async #handleOrSetAside(
    cursor: Cursor,
    to: Position,
    events: readonly Envelope[],
    malformed: readonly Malformed[],
  ): Promise<'done' | 'moved'> {
    let culprit: { event: Envelope; error: unknown } | undefined
    try {
      return await this.#handleAll(cursor, to, events, malformed, (event, error) => {
        culprit = { event, error }
      })
    } catch (error) {
      if (!culprit || isDependencyFailure(culprit.error)) throw error
      this.#warn(culprit.event, 1, culprit.error)
      return this.#setAside(cursor, to, events, malformed, culprit)
    }
  }

  async #handleAll(
    cursor: Cursor,
    to: Position,
    events: readonly Envelope[],
    malformed: readonly Malformed[],
    blame: (event: Envelope, error: unknown) => void,
  ): Promise<'done' | 'moved'> {
    return this.#options.pool.begin(async (tx) => {
      const [locked] = await lockCursor(tx, cursor)
      if (!locked) return 'moved'
      const fresh = await this.#takeCharge(tx, events)
      const heldBack = await this.#heldBack(tx, fresh)
      const parked = fresh.filter((event) => heldBack.has(aggregateOf(event)))
      for (const event of fresh) {
        if (heldBack.has(aggregateOf(event))) continue
        await this.#handle(tx, event).catch((error) => {
          blame(event, error)
          throw error
        })
      }
      if (parked.length > 0)
        await park(
          tx,
          parked.map((event) => this.#parked(event)),
        )
      await this.#buryMalformed(tx, malformed)
      await moveCursor(tx, cursor, to)
      return 'done'
    })
  }

  /** Moves on and keeps the events of the batch for one-by-one tries, so that one bad event stops no other. */
  async #setAside(
    cursor: Cursor,
    to: Position,
    events: readonly Envelope[],
    malformed: readonly Malformed[],
    culprit?: { event: Envelope; error: unknown },
  ): Promise<'done' | 'moved'> {
    return this.#options.pool.begin(async (tx) => {
      const [locked] = await lockCursor(tx, cursor)
      if (!locked) return 'moved'
      const fresh = await this.#takeCharge(tx, events)
      const rows = fresh.map((event) =>
        event === culprit?.event
          ? { ...this.#parked(event), tries: 1, pause_ms: this.#pauseMs(1), error: describe(culprit.error) }
          : this.#parked(event),
      )
      if (rows.length > 0) await park(tx, rows)
      await this.#buryMalformed(tx, malformed)
      await moveCursor(tx, cursor, to)
      return 'done'
    })
  }

  /** The events that this consumer has not met before, each once, in their order. */
  async #takeCharge(tx: Tx, events: readonly Envelope[]): Promise<Envelope[]> {
    if (events.length === 0) return []
    const rows = await markSeen(
      tx,
      this.#consume.name,
      events.map(({ id }) => id),
    )
    const fresh = new Set(rows.map((row) => row.event_id))
    return events.filter(({ id }) => fresh.delete(id))
  }

  async #heldBack(tx: Tx, events: readonly Envelope[]): Promise<Set<string>> {
    if (events.length === 0) return new Set()
    const sources = events.map(({ source }) => source)
    const subjects = events.map(({ subject }) => subject)
    const rows = await listHeldBack(tx, this.#consume.name, sources, subjects)
    return new Set(rows.map(aggregateOf))
  }

  /** What the handler announces in turn belongs to the trace of what it handles. */
  #handle(tx: Tx, event: Envelope): Promise<void> {
    const parent = remoteSpan(event.traceparent)
    const scope = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    return context.with(scope, async () => this.#consume.handle(tx, event))
  }

  /** One try of one event that was set aside. Answers whether there was one. */
  async retry(): Promise<boolean> {
    const { pool, tries, leaseMs } = this.#options
    const [claimed] = await claimParked(pool, this.#consume.name, leaseMs)
    if (!claimed) return false
    const event: Envelope = JSON.parse(claimed.envelope)
    if (claimed.tries > tries) {
      await this.#bury(claimed, event, claimed.error ?? 'its process died while it was handled')
      return true
    }
    try {
      await pool.begin(async (tx) => {
        const [mine] = await lockParked(tx, claimed.consumer, claimed.event_id)
        if (!mine) return
        await this.#handle(tx, event)
        await deleteParked(tx, claimed.consumer, claimed.event_id)
      })
    } catch (error) {
      this.#warn(event, claimed.tries, error)
      if (claimed.tries >= tries) await this.#bury(claimed, event, describe(error))
      else {
        const pauseMs = this.#pauseMs(claimed.tries)
        await postponeParked(pool, claimed.consumer, claimed.event_id, pauseMs, describe(error))
      }
    }
    return true
  }

  async #bury({ consumer, event_id, envelope, ...parked }: ParkedEvent, event: Envelope, error: string): Promise<void> {
    const tries = Math.min(parked.tries, this.#options.tries)
    const buried = await this.#options.pool.begin(async (tx) => {
      const [mine] = await lockParked(tx, consumer, event_id)
      if (!mine) return false
      await bury(tx, { consumer, event_id, type: event.type, subject: event.subject, envelope, tries, error })
      await deleteParked(tx, consumer, event_id)
      return true
    })
    if (!buried) return
    this.#options.log.error({ consumer, id: event_id, type: event.type, tries }, 'event given up')
    this.#options.onDeadLetter({ consumer, eventId: event_id, type: event.type, tries, error })
  }

  /** What is no event gets no tries: it will never be one. */
  async #buryMalformed(tx: Tx, malformed: readonly Malformed[]): Promise<void> {
    const consumer = this.#consume.name
    for (const { id, text, reason } of malformed) {
      const envelope = text.slice(0, MAX_MALFORMED_CHARACTERS).toWellFormed().replaceAll('\0', '')
      await bury(tx, { consumer, event_id: id, type: null, subject: null, envelope, tries: 0, error: reason })
    }
  }

  #reportMalformed(malformed: readonly Malformed[]): void {
    const consumer = this.#consume.name
    for (const { id, reason } of malformed) {
      this.#options.log.error({ consumer, id, reason }, 'not an event')
      this.#options.onDeadLetter({ consumer, eventId: id, type: undefined, tries: 0, error: reason })
    }
  }

  #parked = (event: Envelope): ParkedEvent => ({
    consumer: this.#consume.name,
    event_id: event.id,
    source: event.source,
    subject: event.subject,
    envelope: JSON.stringify(event),
    tries: 0,
    error: null,
    pause_ms: 0,
  })

  #pauseMs(tries: number): number {
    const { backoffMs } = this.#options
    return backoffMs[Math.min(tries, backoffMs.length) - 1] ?? 0
  }

  #warn(event: Envelope, tries: number, error: unknown): void {
    const about = { consumer: this.#consume.name, id: event.id, type: event.type, tries, err: error }
    this.#options.log.warn(about, 'event failed')
  }
}

const aggregateOf = ({ source, subject }: { source: string; subject: string }) => `${source}\n${subject}`

function describe(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  return `${name}: ${message}`.slice(0, MAX_ERROR_CHARACTERS).toWellFormed().replaceAll('\0', '')
}
