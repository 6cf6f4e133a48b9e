import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { Tx } from '../../db/client.ts'
import { isInterruption } from '../../db/failures.ts'
import { storableText } from '../../db/storable-text.ts'
import type { Batch, Cursor, Malformed, Position } from '../driver/driver.ts'
import type { ConsumeOptions } from '../driver/options.ts'
import { handleEvents } from './handle-event.ts'
import { beginAttempt, insertDeadLetter, markProcessed, moveCursor } from './queries.ts'
import { type Failure, type RetryOptions, RetryQueue } from './retry-queue.ts'

/** The part of a batch that the consumer subscribes to. */
interface Delivery {
  cursor: Cursor
  to: Position
  events: readonly Envelope[]
  malformed: readonly Malformed[]
}

/** `queued`: events wait for a retry. `moved`: another process has moved the cursor, and nothing was done. */
type Outcome = 'done' | 'queued' | 'moved'

const MAX_MALFORMED_CHARACTERS = 64 * 1024

/**
 * Processes the events of a consumer exactly once, independent of the driver. A batch is handled in one transaction
 * with the cursor and the ids in `processed_events`. If that fails, its events move to the retry queue, which keeps the
 * order of each subject, and later events of other subjects continue.
 */
export class EventProcessor {
  readonly #consume: ConsumeOptions
  readonly #matches: (type: string) => boolean
  readonly #options: RetryOptions
  readonly retries: RetryQueue

  constructor(consume: ConsumeOptions, matches: (type: string) => boolean, options: RetryOptions) {
    this.#consume = consume
    this.#matches = matches
    this.#options = options
    this.retries = new RetryQueue(consume, options)
  }

  /** Handles a batch and moves the cursor in one transaction. */
  async deliver(cursor: Cursor, { received, to }: Batch): Promise<Outcome> {
    const { pool } = this.#options
    const events = received.flatMap((one) => ('event' in one && this.#matches(one.event.type) ? [one.event] : []))
    const malformed = received.flatMap((one) => ('malformed' in one ? [one.malformed] : []))
    const delivery = { cursor, to, events, malformed }
    if (events.length === 0 && malformed.length === 0) {
      const { count } = await moveCursor(pool, cursor, to)
      return count === 0 ? 'moved' : 'done'
    }
    const [attempt] = await beginAttempt(pool, cursor)
    if (!attempt) return 'moved'
    // An earlier attempt did not finish: the process crashed, perhaps because of an event, or a dependency failed.
    const isSuspect = attempt.attempts > 1
    const outcome = isSuspect ? await this.#defer(delivery) : await this.#handle(delivery)
    if (outcome !== 'moved') this.#report(malformed)
    return outcome
  }

  async #handle(delivery: Delivery): Promise<Outcome> {
    let failure: Failure | undefined
    try {
      return await this.#options.pool.begin(async (tx) => {
        const [fresh, isBlocked] = await Promise.all([
          this.#claim(tx, delivery),
          this.retries.blockCheck(tx, delivery.events),
        ])
        if (!fresh) return 'moved'
        await this.#handleAll(
          tx,
          fresh.filter((event) => !isBlocked(event)),
          (event, error) => {
            failure = { event, error }
            throw error
          },
        )
        const blocked = fresh.filter(isBlocked)
        await this.retries.add(tx, blocked)
        return blocked.length > 0 ? 'queued' : 'done'
      })
    } catch (error) {
      if (!failure || isInterruption(failure.error)) throw error
      const { event, error: err } = failure
      const consumer = this.#consume.name
      if (event) this.#options.log.warn({ consumer, id: event.id, tries: 1, err }, 'event failed')
      else this.#options.log.warn({ consumer, err }, 'a batch of events failed; handling them one by one')
      return this.#defer(delivery, failure)
    }
  }

  async #handleAll(
    tx: Tx,
    events: readonly Envelope[],
    onFailure: (event: Envelope | undefined, error: unknown) => never,
  ): Promise<void> {
    const consumer = { ...this.#consume, service: this.#options.service }
    if (!consumer.handleAll) {
      for (const event of events) await handleEvents(consumer, tx, [event]).catch((error) => onFailure(event, error))
    } else if (events.length > 0) {
      await handleEvents(consumer, tx, events).catch((error) => onFailure(undefined, error))
    }
  }

  /** Moves the cursor and queues the events for retries, so that a failing event does not block the others. */
  #defer(delivery: Delivery, failure?: Failure): Promise<Outcome> {
    return this.#options.pool.begin(async (tx) => {
      const fresh = await this.#claim(tx, delivery)
      if (!fresh) return 'moved'
      await this.retries.add(tx, fresh, failure)
      return 'queued'
    })
  }

  /** Moves the cursor and returns the events that this consumer has not processed before. */
  async #claim(tx: Tx, { cursor, to, events, malformed }: Delivery): Promise<Envelope[] | undefined> {
    const { count } = await moveCursor(tx, cursor, to)
    if (count === 0) return undefined
    for (const { id, text, reason } of malformed) {
      // A malformed message is not retried.
      const envelope = storableText(text, MAX_MALFORMED_CHARACTERS)
      const consumer = this.#consume.name
      await insertDeadLetter(tx, {
        consumer,
        event_id: id,
        type: null,
        subject: null,
        envelope,
        tries: 0,
        error: reason,
      })
    }
    if (events.length === 0) return []
    const ids = events.map(({ id }) => id)
    const fresh = new Set((await markProcessed(tx, this.#consume.name, ids)).map((row) => row.event_id))
    return events.filter(({ id }) => fresh.delete(id))
  }

  #report(malformed: readonly Malformed[]): void {
    const consumer = this.#consume.name
    for (const { id, reason } of malformed) {
      this.#options.log.error({ consumer, id, reason }, 'malformed message')
      this.#options.onDeadLetter({ consumer, eventId: id, type: undefined, tries: 0, error: reason })
    }
  }
}
