import type { Envelope } from '../../../proto/events/envelope.ts'
import type { Pool, Tx } from '../db/client.ts'
import { handleEvent } from './handle.ts'
import type { BusLog } from './log.ts'
import {
  bury,
  claimParked,
  deleteParked,
  listHeldBack,
  listParked,
  lockConsumer,
  type ParkedEvent,
  type ParkedRow,
  park,
  postponeParked,
  promoteParked,
  separate,
} from './queries.ts'
import type { Consume } from './verbs.ts'

export interface DeadLetterNotice {
  consumer: string
  eventId: string
  type: string | undefined
  tries: number
  error: string
}

export interface ParkingOptions {
  pool: Pool
  log: BusLog
  tries: number
  /** Pauses before the second try, the third and so on; the last one repeats. */
  backoffMs: readonly number[]
  /** How long a try may take before another process may begin the next one. */
  leaseMs: number
  onDeadLetter: (notice: DeadLetterNotice) => void
}

export interface Failure {
  event: Envelope
  error: unknown
}

const TOGETHER = 64
const MAX_ERROR_CHARACTERS = 500

/**
 * Where the events of a consumer wait that could not be handled with their batch. Each subject is a queue of its own:
 * its first event is tried, with pauses, until it is handled or given up, and the others follow in their order.
 */
export class Parking {
  readonly #consume: Consume
  readonly #options: ParkingOptions

  constructor(consume: Consume, options: ParkingOptions) {
    this.#consume = consume
    this.#options = options
  }

  /** Sets events aside, in their order. With a failure, that was the first try of its event. */
  async add(
    tx: Tx,
    events: readonly Envelope[],
    { alone, failure }: { alone: boolean; failure?: Failure | undefined },
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
    await park(tx, rows, alone)
  }

  /** Tells of an event whether an earlier one of its subject is set aside, so that it has to wait too. */
  async heldBack(tx: Tx, events: readonly Envelope[]): Promise<(event: Envelope) => boolean> {
    if (events.length === 0) return () => false
    const sources = events.map(({ source }) => source)
    const subjects = events.map(({ subject }) => subject)
    const rows = await listHeldBack(tx, this.#consume.name, sources, subjects)
    const held = new Set(rows.map(subjectOf))
    return (event) => held.has(subjectOf(event))
  }

  /** Tries the event that is due longest, and those behind it if nothing speaks against it. Answers whether there was one. */
  async retry(): Promise<boolean> {
    const { pool, tries, leaseMs } = this.#options
    const [head] = await claimParked(pool, this.#consume.name, leaseMs)
    if (!head) return false
    if (head.tries > tries) {
      await this.#giveUp(head, head.error ?? 'its process died while it was handled')
      return true
    }
    // A second try follows a failure or the death of a process, whose reason may be one of those behind the first.
    if (head.tries > 1) await separate(pool, head, TOGETHER)
    try {
      await this.#handleQueue(head)
    } catch (error) {
      this.#warn(head, error)
      if (head.tries >= tries) await this.#giveUp(head, describe(error))
      else await postponeParked(pool, head.position, head.tries, this.#pauseMs(head.tries), describe(error))
    }
    return true
  }

  /** Handles the first event of a queue, and what follows as far as it can be handled in the same transaction. */
  async #handleQueue(head: ParkedRow): Promise<void> {
    await this.#options.pool.begin(async (tx) => {
      await lockConsumer(tx, head.consumer)
      const queue = await listParked(tx, head, head.tries > 1 || head.alone ? 1 : TOGETHER)
      // Somebody else was quicker.
      if (queue[0]?.position !== head.position) return
      const handled: string[] = []
      let failed: { row: ParkedRow; error: unknown } | undefined
      for (const row of queue) {
        if (handled.length > 0 && row.alone) break
        try {
          await tx.savepoint((part) => handleEvent(this.#consume, part, JSON.parse(row.envelope)))
        } catch (error) {
          if (handled.length === 0) throw error
          failed = { row: { ...row, tries: row.tries + 1 }, error }
          break
        }
        handled.push(row.position)
      }
      await deleteParked(tx, handled)
      if (!failed) return void (await promoteParked(tx, head))
      this.#warn(failed.row, failed.error)
      const { position, tries } = failed.row
      await postponeParked(tx, position, tries, this.#pauseMs(tries), describe(failed.error))
    })
  }

  async #giveUp(head: ParkedRow, error: string): Promise<void> {
    const { consumer, event_id, envelope, subject } = head
    const { type }: Envelope = JSON.parse(envelope)
    const tries = Math.min(head.tries, this.#options.tries)
    const buried = await this.#options.pool.begin(async (tx) => {
      await lockConsumer(tx, consumer)
      const [first] = await listParked(tx, head, 1)
      if (first?.position !== head.position) return false
      await bury(tx, { consumer, event_id, type, subject, envelope, tries, error })
      await deleteParked(tx, [head.position])
      await promoteParked(tx, head)
      return true
    })
    if (!buried) return
    this.#options.log.error({ consumer, id: event_id, type, tries }, 'event given up')
    this.#options.onDeadLetter({ consumer, eventId: event_id, type, tries, error })
  }

  #pauseMs(tries: number): number {
    const { backoffMs } = this.#options
    return backoffMs[Math.min(tries, backoffMs.length) - 1] ?? 0
  }

  #warn({ consumer, event_id, tries }: ParkedEvent, error: unknown): void {
    this.#options.log.warn({ consumer, id: event_id, tries, err: error }, 'event failed')
  }
}

const subjectOf = ({ source, subject }: { source: string; subject: string }) => `${source}\n${subject}`

function describe(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  return `${name}: ${message}`.slice(0, MAX_ERROR_CHARACTERS).toWellFormed().replaceAll('\0', '')
}
