import { type Refusal, refuse } from '../errors/refusal.ts'
import type { Concurrency } from '../metrics/concurrency.ts'
import { requireWhole } from './whole-number.ts'

interface TenantSemaphoreOptions {
  /** Names the work in the detail of a 429: "Too many <what> at once". */
  what: string
  permits: number
  /** The most permits that one tenant holds at the same time. */
  permitsPerTenant: number
  /** A caller that has waited this long for a permit is refused with 429. */
  maxWaitMs?: number
  /** The longest queue of one tenant; the next caller is refused at once. */
  maxWaitingPerTenant?: number
}

const MAX_WAIT_MS = 5000
const MAX_WAITING_PER_TENANT = 200

/**
 * Limits concurrent work in total and per tenant. Fair queue: tenants round-robin, FIFO within a tenant.
 * Counts within this process; each replica has its own.
 */
export class TenantSemaphore {
  readonly #options: Required<TenantSemaphoreOptions>
  readonly #heldByTenant = new Map<string, number>()
  #held = 0
  /** One queue per tenant, in insertion order; the map is ordered by the tenants' next turn. */
  readonly #queues = new Map<string, Set<() => void>>()

  constructor(options: TenantSemaphoreOptions) {
    this.#options = { maxWaitMs: MAX_WAIT_MS, maxWaitingPerTenant: MAX_WAITING_PER_TENANT, ...options }
    const { what: _, ...limits } = this.#options
    requireWhole(limits, 1)
  }

  /** For metrics. */
  get concurrency(): Concurrency {
    const { what, permits } = this.#options
    const waiting = [...this.#queues.values()].reduce((sum, { size }) => sum + size, 0)
    return { work: what.replace(/ \(.*/, ''), permits, held: this.#held, waiting }
  }

  /** Whether `acquire` would succeed now. */
  canAcquire(tenantId: string): boolean {
    const { permits, permitsPerTenant } = this.#options
    return this.#held < permits && (this.#heldByTenant.get(tenantId) ?? 0) < permitsPerTenant
  }

  /** Takes a permit at once or throws 429. Returns its release, which is idempotent. */
  acquire(tenantId: string): () => void {
    if (!this.canAcquire(tenantId)) throw this.#tooMany()
    this.#take(tenantId)
    let isReleased = false
    return () => {
      if (!isReleased) this.#release(tenantId)
      isReleased = true
    }
  }

  /** Runs the work with a permit, and waits for one if necessary until `maxWaitMs` or the signal ends the wait. */
  async run<Answer>(tenantId: string, signal: AbortSignal, work: () => PromiseLike<Answer>): Promise<Answer> {
    // No queued caller is overtaken: a caller is queued only while it cannot take a permit.
    if (this.canAcquire(tenantId)) this.#take(tenantId)
    else await this.#wait(tenantId, signal)
    try {
      return await work()
    } finally {
      this.#release(tenantId)
    }
  }

  #take(tenantId: string): void {
    this.#held++
    this.#heldByTenant.set(tenantId, (this.#heldByTenant.get(tenantId) ?? 0) + 1)
  }

  #release(tenantId: string): void {
    this.#held--
    const left = (this.#heldByTenant.get(tenantId) ?? 1) - 1
    if (left === 0) this.#heldByTenant.delete(tenantId)
    else this.#heldByTenant.set(tenantId, left)
    this.#wakeNext()
  }

  /** Gives the released permit to the next tenant that is below its share, and moves that tenant to the end. */
  #wakeNext(): void {
    for (const [tenantId, queue] of this.#queues) {
      const [wake] = queue
      if (!wake || !this.canAcquire(tenantId)) continue
      this.#take(tenantId)
      wake()
      if (this.#queues.delete(tenantId)) this.#queues.set(tenantId, queue)
      return
    }
  }

  #wait(tenantId: string, signal: AbortSignal): Promise<void> {
    const queue = this.#queues.get(tenantId) ?? new Set()
    if (queue.size >= this.#options.maxWaitingPerTenant) throw this.#tooMany()
    signal.throwIfAborted()
    this.#queues.set(tenantId, queue)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        queue.delete(wake)
        if (queue.size === 0) this.#queues.delete(tenantId)
      }
      const wake = () => {
        leave()
        resolve()
      }
      const giveUp = () => {
        leave()
        reject(signal.aborted ? signal.reason : this.#tooMany())
      }
      const timer = setTimeout(giveUp, this.#options.maxWaitMs)
      signal.addEventListener('abort', giveUp)
      queue.add(wake)
    })
  }

  #tooMany(): Refusal {
    const detail = `Too many ${this.#options.what} at once; try again when one is done.`
    return refuse('rate_limited', { detail, headers: { 'retry-after': '10' } })
  }
}
