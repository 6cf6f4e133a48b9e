import { timeAt } from '../../../proto/durations.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { isDependencyFailure } from '../../kit/db/failures.ts'
import { type Completion, completeDeliveries, countResults, type EndpointResult, pauseEndpoint } from './queries.ts'
import { isSuccess, pauseReason } from './rules.ts'

const BATCH_MS = 5
const MAX_BATCH = 200
/** Pauses before a batch is tried again. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 4000
/** No try starts later. With the 15 s of the attempt this is shorter than the lease of the delivery. */
const MAX_TRYING_MS = 25_000

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
      await this.#recordWithRetries(batch.map(({ completion }) => completion))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  /** Tries again while Postgres is unavailable, because each delivery of a batch that is not recorded is sent twice. */
  async #recordWithRetries(completions: readonly Completion[]): Promise<void> {
    const startedMs = performance.now()
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.#record(completions)
      } catch (error) {
        const nextTryMs = performance.now() - startedMs + pauseMs
        if (!isDependencyFailure(error) || nextTryMs > MAX_TRYING_MS) throw error
        await Bun.sleep(pauseMs)
      }
    }
  }

  async #record(completions: readonly Completion[]): Promise<void> {
    const now = timeAt(this.#deps.clock())
    await this.#deps.sql.begin(async (tx) => {
      const held = new Set((await completeDeliveries(tx, completions, now)).map(({ id }) => id))
      const counted = await countResults(
        tx,
        resultsOf(completions.filter(({ deliveryId, isTest }) => held.has(deliveryId) && !isTest)),
        now,
      )
      for (const { id, failures, failing_since: failingSince } of counted) {
        const reason = pauseReason({ failures, failingSince }, now)
        if (reason !== undefined) await pause(tx, id, reason, now)
      }
    })
  }
}

/** Pauses an endpoint, and tells its organization unless the endpoint was paused meanwhile. */
async function pause(tx: Tx, id: string, reason: string, now: string): Promise<void> {
  const [paused] = await pauseEndpoint(tx, id, reason, now)
  if (!paused) return
  await emit(tx, {
    type: 'webhooks.endpoint.paused',
    tenantId: paused.org_id,
    subject: id,
    data: { endpointId: id, orgId: paused.org_id },
  })
}

/** The results by endpoint. */
function resultsOf(completions: readonly Completion[]): EndpointResult[] {
  const byEndpoint = Map.groupBy(completions, ({ endpointId }) => endpointId)
  return [...byEndpoint].map(([endpointId, results]) => ({
    endpointId,
    failures: results.filter((result) => !isSuccess(result)).length,
    hasSuccess: results.some(isSuccess),
  }))
}
