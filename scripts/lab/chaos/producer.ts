import { emitAllAny } from '../../../services/kit/bus/outbox/emit.ts'
import { connect, type Pool } from '../../../services/kit/db/client.ts'

interface ProducerOptions {
  url: string
  orgIds: readonly string[]
  signal: AbortSignal
}

/** Events of one transaction, for each organization. */
const EVENTS_AT_ONCE = 20
const SUBJECTS = 200
const RETRY_MS = 100

/**
 * Emits events as a command of sourcing does: one for each organization, in a transaction that is retried in an outage.
 */
export class Producer {
  readonly #sql: Pool
  readonly #options: ProducerOptions
  #count = 0
  /** Events whose transaction was acknowledged. */
  readonly acknowledged: string[] = []

  constructor(options: ProducerOptions) {
    this.#options = options
    this.#sql = connect(options.url, { max: 1, applicationName: 'chaos-producer', statementSeconds: 5 })
  }

  /** Emits a number of events in equal pauses over about this time. */
  async emit(count: number, withinMs: number): Promise<void> {
    const startedMs = performance.now()
    for (let done = 0; done < count; done += EVENTS_AT_ONCE) {
      await this.#emit(Math.min(EVENTS_AT_ONCE, count - done))
      const dueMs = startedMs + (withinMs * done) / count
      if (dueMs > performance.now()) await Bun.sleep(dueMs - performance.now())
    }
  }

  async #emit(count: number): Promise<void> {
    const { orgIds, signal } = this.#options
    const events = Array.from({ length: count }, () => this.#count++).flatMap((number) =>
      orgIds.map((tenantId) => ({
        type: 'cases.updated',
        tenantId,
        subject: `case_${number % SUBJECTS}`,
        data: { number },
      })),
    )
    while (!signal.aborted) {
      try {
        this.acknowledged.push(...(await this.#sql.begin((tx) => emitAllAny(tx, events))))
        return
      } catch {
        // Postgres was killed. A commit without an acknowledgement leaves events that are found in the outbox at the
        // end.
        await Bun.sleep(RETRY_MS)
      }
    }
  }

  close = (): Promise<void> => this.#sql.end({ timeout: 1 })
}
