import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { ServiceName } from '../../../../proto/services.ts'
import type { Pool, Tx } from '../../db/client.ts'
import { isDependencyFailure } from '../../db/failures.ts'
import type { MessageLog } from '../../log/message-log.ts'
import type { ConsumeOptions } from '../driver/options.ts'
import { handleEvent } from './handle-event.ts'
import {
  beginRetry,
  deleteRetries,
  insertDeadLetter,
  insertRetries,
  isolateQueue,
  listBlockedSubjects,
  listRetries,
  lockConsumer,
  postponeInterrupted,
  postponeRetry,
  promoteNext,
  type RetryEvent,
  type RetryRow,
} from './queries.ts'

export interface DeadLetterNotice {
  consumer: string
  eventId: string
  type: string | undefined
  tries: number
  error: string
}

export interface RetryOptions {
  service: ServiceName
  pool: Pool
  log: MessageLog
  tries: number
  /** Pauses before the second attempt, the third and so on. The last one repeats. */
  backoffMs: readonly number[]
  onDeadLetter: (notice: DeadLetterNotice) => void
}

export interface Failure {
  /** Undefined if the events of a batch failed together. */
  event: Envelope | undefined
  error: unknown
}

/** Maximum of events of one subject that are handled in one transaction. */
const BATCH_EVENTS = 64
/** Pauses after interruptions grow up to this attempt, so that the event is handled soon after the failure. */
const MAX_INTERRUPTED_BACKOFF_TRIES = 3
const MAX_ERROR_CHARACTERS = 500

/**
 * The retry queue of a consumer, with one FIFO queue for each subject. The first event of a subject is retried with
 * backoff until it succeeds or becomes a dead letter; the others wait behind it. An attempt that a failure of a
 * dependency ended does not count. Only the leader of the consumer works it off, in transactions that lock the consumer,
 * so it needs no leases and is no queue of jobs.
 */
export class RetryQueue {
  readonly #consume: ConsumeOptions
  readonly #options: RetryOptions
  /** An interruption that could not be recorded, because the database was unavailable. */
  #unrecorded: (() => PromiseLike<unknown>) | undefined

  constructor(consume: ConsumeOptions, options: RetryOptions) {
    this.#consume = consume
    this.#options = options
  }

  /** Queues events in their order. A failure counts as the first attempt of its event. */
  async add(
    tx: Tx,
    events: readonly Envelope[],
    { isolated, failure }: { isolated: boolean; failure?: Failure | undefined },
  ) {
    if (events.length === 0) return
    const rows = events.map((event) => {
      const failed = event === failure?.event
      return {
        consumer: this.#consume.name,
        event_id: event.id,
        source: event.source,
        subject: event.subject,
        envelope: JSON.stringify(event),
        tries: failed ? 1 : 0,
        error: failed ? describe(failure.error) : null,
        pause_ms: failed ? this.#pauseMs(1) : 0,
      }
    })
    await insertRetries(tx, rows, isolated)
  }

  /** Returns whether an event has to wait because an earlier event of its subject is queued. */
  async blockedSubjects(tx: Tx, events: readonly Envelope[]): Promise<(event: Envelope) => boolean> {
    if (events.length === 0) return () => false
    const sources = events.map(({ source }) => source)
    const subjects = events.map(({ subject }) => subject)
    const rows = await listBlockedSubjects(tx, this.#consume.name, sources, subjects)
    const blocked = new Set(rows.map(subjectOf))
    return (event) => blocked.has(subjectOf(event))
  }

  /** Retries the event that has been due longest, with the events behind it. Returns whether there was one. */
  async retry(): Promise<boolean> {
    const { pool, tries, backoffMs } = this.#options
    await this.#recordInterruption(this.#unrecorded)
    const [head] = await beginRetry(pool, this.#consume.name, backoffMs)
    if (!head) return false
    if (countedTries(head) > tries) {
      await this.#deadLetter(head, head.error ?? 'the process crashed while handling it')
      return true
    }
    // After a failure or a crash the events are handled one by one, because any of them may be the cause.
    if (head.tries > 1) await isolateQueue(pool, head, BATCH_EVENTS)
    try {
      await this.#handleQueue(head)
    } catch (error) {
      this.#warn(head, error)
      if (isDependencyFailure(error)) {
        const pauseMs = this.#pauseMs(Math.min(head.tries, MAX_INTERRUPTED_BACKOFF_TRIES))
        await this.#recordInterruption(() => postponeInterrupted(pool, head.position, pauseMs, describe(error)))
        throw error
      }
      if (countedTries(head) >= tries) await this.#deadLetter(head, describe(error))
      else await postponeRetry(pool, head.position, head.tries, this.#pauseMs(head.tries), describe(error))
    }
    return true
  }

  /** Records an interruption. If that fails, the next `retry` records it first. */
  async #recordInterruption(record: (() => PromiseLike<unknown>) | undefined): Promise<void> {
    this.#unrecorded = record
    await record?.()
    this.#unrecorded = undefined
  }

  /** Handles the first event of a subject, and those behind it in the same transaction. */
  async #handleQueue(head: RetryRow): Promise<void> {
    await this.#options.pool.begin(async (tx) => {
      await lockConsumer(tx, head.consumer)
      const queue = await listRetries(tx, head, head.tries > 1 || head.isolated ? 1 : BATCH_EVENTS)
      // Another process has handled the event.
      if (queue[0]?.position !== head.position) return
      const handled: string[] = []
      let failed: { row: RetryRow; error: unknown } | undefined
      for (const row of queue) {
        if (handled.length > 0 && row.isolated) break
        try {
          await tx.savepoint((part) =>
            handleEvent({ ...this.#consume, service: this.#options.service }, part, JSON.parse(row.envelope)),
          )
        } catch (error) {
          if (handled.length === 0) throw error
          // The event becomes the first of its subject.
          if (isDependencyFailure(error)) break
          failed = { row: { ...row, tries: row.tries + 1 }, error }
          break
        }
        handled.push(row.position)
      }
      await deleteRetries(tx, handled)
      if (!failed) return void (await promoteNext(tx, head))
      this.#warn(failed.row, failed.error)
      const { position, tries } = failed.row
      await postponeRetry(tx, position, tries, this.#pauseMs(tries), describe(failed.error))
    })
  }

  async #deadLetter(head: RetryRow, error: string): Promise<void> {
    const { consumer, event_id, envelope, subject } = head
    const { type }: Envelope = JSON.parse(envelope)
    const tries = Math.min(countedTries(head), this.#options.tries)
    const isDead = await this.#options.pool.begin(async (tx) => {
      await lockConsumer(tx, consumer)
      const [first] = await listRetries(tx, head, 1)
      if (first?.position !== head.position) return false
      await insertDeadLetter(tx, { consumer, event_id, type, subject, envelope, tries, error })
      await deleteRetries(tx, [head.position])
      await promoteNext(tx, head)
      return true
    })
    if (!isDead) return
    this.#options.log.error({ consumer, id: event_id, type, tries }, 'event moved to dead letters')
    this.#options.onDeadLetter({ consumer, eventId: event_id, type, tries, error })
  }

  #pauseMs(tries: number): number {
    const { backoffMs } = this.#options
    return backoffMs[Math.min(tries, backoffMs.length) - 1] ?? 0
  }

  #warn({ consumer, event_id, tries }: RetryEvent, error: unknown): void {
    this.#options.log.warn({ consumer, id: event_id, tries, err: error }, 'event failed')
  }
}

const countedTries = ({ tries, interruptions }: RetryRow) => tries - interruptions

const subjectOf = ({ source, subject }: { source: string; subject: string }) => `${source}\n${subject}`

function describe(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  return `${name}: ${message}`.slice(0, MAX_ERROR_CHARACTERS).toWellFormed().replaceAll('\0', '')
}
