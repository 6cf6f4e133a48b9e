import type { Pool } from '../../kit/db/client.ts'
import { type Completion, completeDeliveries, countResults, type EndpointResult, pauseEndpoints } from './queries.ts'
import { isGone, isSuccess, shouldPause } from './rules.ts'

const BATCH_MS = 5
const MAX_BATCH = 200

interface Waiting {
  completion: Completion
  resolve: () => void
  reject: (error: unknown) => void
}

/** Records the results of attempts in batches, because a transaction for each result would take most of the time. */
export class CompletionBatch {
  readonly #deps: { sql: Pool; clock: () => number }
  #waiting: Waiting[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(deps: { sql: Pool; clock: () => number }) {
    this.#deps = deps
  }

  /** Resolves once the result is committed. */
  add(completion: Completion): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ completion, resolve, reject })
      if (this.#waiting.length >= MAX_BATCH) void this.flush()
      else this.#timer ??= setTimeout(() => void this.flush(), BATCH_MS)
    })
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#waiting
    if (batch.length === 0) return
    this.#waiting = []
    try {
      await this.#record(batch.map(({ completion }) => completion))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async #record(completions: readonly Completion[]): Promise<void> {
    const now = new Date(this.#deps.clock()).toISOString()
    await this.#deps.sql.begin(async (tx) => {
      const held = new Set((await completeDeliveries(tx, completions, now)).map(({ id }) => id))
      const counted = await countResults(
        tx,
        resultsOf(completions.filter(({ deliveryId }) => held.has(deliveryId))),
        now,
      )
      const gone = counted.filter(({ is_gone }) => is_gone)
      const failing = counted.filter(
        ({ failures, succeeded_at: succeededAt, is_gone }) => !is_gone && shouldPause({ failures, succeededAt }, now),
      )
      if (gone.length > 0) await pauseEndpoints(tx, idsOf(gone), 'The receiver answered 410 Gone.', now)
      if (failing.length > 0) await pauseEndpoints(tx, idsOf(failing), 'All attempts have failed for 72 hours.', now)
    })
  }
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

/** The results by endpoint. */
function resultsOf(completions: readonly Completion[]): EndpointResult[] {
  const byEndpoint = Map.groupBy(completions, ({ endpointId }) => endpointId)
  return [...byEndpoint].map(([endpointId, results]) => ({
    endpointId,
    failures: results.filter((result) => !isSuccess(result)).length,
    hasSuccess: results.some(isSuccess),
    isGone: results.some(isGone),
  }))
}
