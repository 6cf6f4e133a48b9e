import type { Envelope } from '../../../proto/events/envelope.ts'
import type { Tx } from '../db/client.ts'
import { isDependencyFailure } from '../db/failures.ts'
import { handleEvent } from './handle.ts'
import { type Failure, Parking, type ParkingOptions } from './parking.ts'
import { beginAttempt, bury, type Cursor, lockCursor, markSeen, moveCursor, type Position } from './queries.ts'
import type { Consume } from './verbs.ts'

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

/** The part of a batch that concerns the consumer. */
interface Delivery {
  cursor: Cursor
  to: Position
  events: readonly Envelope[]
  malformed: readonly Malformed[]
}

/** `moved` says that another process was quicker: nothing was done. */
type Outcome = 'done' | 'moved'

const MAX_MALFORMED_CHARACTERS = 64 * 1024

/**
 * What a consumer does with events, whatever brought them. A batch is handled in one transaction with its cursor and
 * its rows in `bus_seen`. When that fails its events are set aside and tried again, those of one subject in their
 * order, while later events of other subjects go on.
 */
export class Inbox {
  readonly #consume: Consume
  readonly #matches: (type: string) => boolean
  readonly #options: ParkingOptions
  readonly #parking: Parking

  constructor(consume: Consume, matches: (type: string) => boolean, options: ParkingOptions) {
    this.#consume = consume
    this.#matches = matches
    this.#options = options
    this.#parking = new Parking(consume, options)
  }

  /** Tries what was set aside and is due. Answers whether there was something. */
  retry = (): Promise<boolean> => this.#parking.retry()

  /** Handles a batch and moves the cursor, or does neither. */
  async deliver(cursor: Cursor, { incoming, to }: Batch): Promise<Outcome> {
    const { pool } = this.#options
    const events = incoming.flatMap((one) => ('event' in one && this.#matches(one.event.type) ? [one.event] : []))
    const malformed = incoming.flatMap((one) => ('malformed' in one ? [one.malformed] : []))
    const delivery = { cursor, to, events, malformed }
    if (events.length === 0 && malformed.length === 0) {
      const { count } = await moveCursor(pool, cursor, to)
      return count === 0 ? 'moved' : 'done'
    }
    const [attempt] = await beginAttempt(pool, cursor)
    if (!attempt) return 'moved'
    // Somebody died, or lost the database, in the middle of this batch: one of its events may be the reason.
    const suspect = attempt.attempts > 1
    const outcome = suspect ? await this.#setAside(delivery, { alone: true }) : await this.#handle(delivery)
    if (outcome === 'done') this.#report(malformed)
    return outcome
  }

  async #handle(delivery: Delivery): Promise<Outcome> {
    let failure: Failure | undefined
    try {
      return await this.#options.pool.begin(async (tx) => {
        const fresh = await this.#take(tx, delivery)
        if (!fresh) return 'moved'
        const isHeldBack = await this.#parking.heldBack(tx, fresh)
        for (const event of fresh) {
          if (isHeldBack(event)) continue
          await handleEvent(this.#consume, tx, event).catch((error) => {
            failure = { event, error }
            throw error
          })
        }
        await this.#parking.add(tx, fresh.filter(isHeldBack), { alone: false })
        return 'done'
      })
    } catch (error) {
      if (!failure || isDependencyFailure(failure.error)) throw error
      const about = { consumer: this.#consume.name, id: failure.event.id, tries: 1, err: failure.error }
      this.#options.log.warn(about, 'event failed')
      return this.#setAside(delivery, { alone: false, failure })
    }
  }

  /** Moves on and keeps the events of the batch for further tries, so that one bad event stops no other. */
  #setAside(delivery: Delivery, why: { alone: boolean; failure?: Failure }): Promise<Outcome> {
    return this.#options.pool.begin(async (tx) => {
      const fresh = await this.#take(tx, delivery)
      if (!fresh) return 'moved'
      await this.#parking.add(tx, fresh, why)
      return 'done'
    })
  }

  /** Moves the cursor and takes charge of the batch: the events that this consumer has not met before, each once. */
  async #take(tx: Tx, { cursor, to, events, malformed }: Delivery): Promise<Envelope[] | undefined> {
    const [locked] = await lockCursor(tx, cursor)
    if (!locked) return undefined
    await moveCursor(tx, cursor, to)
    for (const { id, text, reason } of malformed) {
      // What is no event gets no tries: it will never be one.
      const envelope = text.slice(0, MAX_MALFORMED_CHARACTERS).toWellFormed().replaceAll('\0', '')
      const consumer = this.#consume.name
      await bury(tx, { consumer, event_id: id, type: null, subject: null, envelope, tries: 0, error: reason })
    }
    if (events.length === 0) return []
    const ids = events.map(({ id }) => id)
    const fresh = new Set((await markSeen(tx, this.#consume.name, ids)).map((row) => row.event_id))
    return events.filter(({ id }) => fresh.delete(id))
  }

  #report(malformed: readonly Malformed[]): void {
    const consumer = this.#consume.name
    for (const { id, reason } of malformed) {
      this.#options.log.error({ consumer, id, reason }, 'not an event')
      this.#options.onDeadLetter({ consumer, eventId: id, type: undefined, tries: 0, error: reason })
    }
  }
}
