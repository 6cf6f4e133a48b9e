import { pauseOf } from '../../../../proto/durations.ts'
import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { ServiceName } from '../../../../proto/services.ts'
import type { Pool, Tx } from '../../db/client.ts'
import { isInterruption } from '../../db/failures.ts'
import { storableText } from '../../db/storable-text.ts'
import type { MessageLog } from '../../log/log.ts'
import type { Job, JobKind } from '../../worker/jobs.ts'
import type { ConsumeOptions } from '../driver/options.ts'
import { handleEvents } from './handle-event.ts'
import * as queries from './queries.ts'

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

type SubjectJob = Job<queries.Subject>

const MAX_ERROR_CHARACTERS = 500

/**
 * The retry queue of a consumer, with one FIFO queue for each subject, whose job handles its first event until it
 * succeeds or becomes a dead letter; the others wait behind it. Events are handled one by one, because any of them may
 * have failed or crashed the process. An attempt that a failure of a dependency ended does not count, except for a
 * statement that was too slow, because it may be as slow each time.
 */
export class RetryQueue {
  readonly #consume: ConsumeOptions
  readonly #options: RetryOptions

  constructor(consume: ConsumeOptions, options: RetryOptions) {
    this.#consume = consume
    this.#options = options
  }

  get kind(): JobKind<queries.Subject> {
    const { pool, tries } = this.#options
    return {
      kind: queries.retryKind(this.#consume.name),
      slots: 1,
      tenantSlots: 1,
      maxAttempts: tries,
      pauseAfter: (attempts) => pauseOf(this.#options.backoffMs, attempts),
      run: (job) => pool.begin((tx) => this.#pass(tx, job, (event) => this.#handle(tx, event))),
      isInterruption,
      onFailure: (job, error, isLast) => (isLast ? this.#giveUp(job, error) : this.#warn(job, error)),
    }
  }

  /** Queues events in their order. The failure of the first event of a subject counts as its first attempt. */
  async add(tx: Tx, events: readonly Envelope[], failure?: Failure): Promise<void> {
    if (events.length === 0) return
    const rows = events.map((event) => ({
      event_id: event.id,
      source: event.source,
      subject: event.subject,
      envelope: JSON.stringify(event),
    }))
    await queries.insertRetries(tx, this.#consume.name, rows, {
      id: failure?.event?.id ?? '',
      pauseMs: pauseOf(this.#options.backoffMs, 1),
    })
  }

  /** A function that tells whether an event has to wait because an earlier event of its subject is queued. */
  async blockCheck(tx: Tx, events: readonly Envelope[]): Promise<(event: Envelope) => boolean> {
    if (events.length === 0) return () => false
    const sources = events.map(({ source }) => source)
    const subjects = events.map(({ subject }) => subject)
    const rows = await queries.listBlockedSubjects(tx, this.#consume.name, sources, subjects)
    const blocked = new Set(rows.map(subjectOf))
    return (event) => blocked.has(subjectOf(event))
  }

  /** Removes the first event of a subject with what is done with it, and makes the job of the next one due. */
  async #pass(tx: Tx, job: SubjectJob, work: (event: Envelope) => Promise<void>): Promise<void> {
    const consumer = this.#consume.name
    await queries.lockConsumer(tx, consumer)
    if (!(await job.hold(tx))) return
    const [first, next] = await queries.listRetries(tx, consumer, job.data, 2)
    if (first) {
      await work(JSON.parse(first.envelope))
      await queries.deleteRetry(tx, first.position)
    }
    if (next) await job.continue(tx, undefined)
    else await job.end(tx)
  }

  #handle(tx: Tx, event: Envelope): Promise<void> {
    return handleEvents({ ...this.#consume, service: this.#options.service }, tx, [event])
  }

  async #giveUp(job: SubjectJob, cause: unknown): Promise<void> {
    const { tries, log, onDeadLetter } = this.#options
    const consumer = this.#consume.name
    const error = job.attempts > tries ? 'the process crashed while handling it' : describe(cause)
    let dead: Envelope | undefined
    await job.settle((tx) =>
      this.#pass(tx, job, async (event) => {
        const { id: event_id, type, subject } = event
        const envelope = JSON.stringify(event)
        await queries.insertDeadLetter(tx, { consumer, event_id, type, subject, envelope, tries, error })
        dead = event
      }),
    )
    if (!dead) return
    const { id, type } = dead
    log.error({ consumer, id, type, tries }, 'event moved to dead letters')
    onDeadLetter({ consumer, eventId: id, type, tries, error })
  }

  async #warn({ data: { subject }, attempts: tries }: SubjectJob, err: unknown): Promise<void> {
    this.#options.log.warn({ consumer: this.#consume.name, subject, tries, err }, 'event failed')
  }
}

const subjectOf = ({ source, subject }: queries.Subject) => `${source}\n${subject}`

function describe(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  return storableText(`${name}: ${message}`, MAX_ERROR_CHARACTERS)
}
