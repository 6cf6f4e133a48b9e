import { type Refusal, refuse } from '../errors/refusal.ts'
import type { Concurrency } from '../metrics/concurrency.ts'
import { FairQueue, type Place } from './fair-queue.ts'
import { requireWhole } from './whole-number.ts'

interface KeyedSemaphoreOptions {
  /** Names the work in the detail of a 429: "Too many <what> at the same time". */
  what: string
  permits: number
  /** The most permits that one key holds at the same time. */
  permitsPerKey: number
  /** A caller that has waited this long for a permit is refused with 429. */
  maxWaitMs?: number
  /** The longest queue of one key; the next caller is refused immediately. */
  maxWaitingPerKey?: number
  /** The longest queue of all keys. The next caller replaces the last one of the key with the most, or is refused. */
  maxWaiting?: number
}

/** A caller in the queue. */
interface Waiter {
  wake(): void
  giveUp(): void
}

const MAX_WAIT_MS = 5000
const MAX_WAITING_PER_KEY = 200
const MAX_WAITING = 10_000

/**
 * Limits concurrent work in total and per key, with a fair queue: when it is full, a caller of the key with the most
 * waiting callers gives way to one of a key with fewer. Counts within this process; each replica has its own.
 */
export class KeyedSemaphore {
  readonly #options: Required<KeyedSemaphoreOptions>
  readonly #heldByKey = new Map<string, number>()
  #held = 0
  readonly #queue = new FairQueue<Waiter>()

  constructor(options: KeyedSemaphoreOptions) {
    this.#options = {
      maxWaitMs: MAX_WAIT_MS,
      maxWaitingPerKey: MAX_WAITING_PER_KEY,
      maxWaiting: MAX_WAITING,
      ...options,
    }
    const { what: _, ...limits } = this.#options
    requireWhole(limits, 1)
  }

  /** For metrics. */
  get concurrency(): Concurrency {
    const { what, permits } = this.#options
    // The metric does without the explanation in parentheses.
    return { work: what.replace(/ \(.*/, ''), permits, held: this.#held, waiting: this.#queue.size }
  }

  /** Whether `acquire` would succeed now. */
  canAcquire(key: string): boolean {
    const { permits, permitsPerKey } = this.#options
    return this.#held < permits && (this.#heldByKey.get(key) ?? 0) < permitsPerKey
  }

  /** Takes a permit immediately or throws 429. Returns its release, which is idempotent. */
  acquire(key: string): () => void {
    if (!this.canAcquire(key)) throw this.#tooMany()
    this.#take(key)
    let isReleased = false
    return () => {
      if (!isReleased) this.#release(key)
      isReleased = true
    }
  }

  /**
   * Runs the work with a permit, and waits for one if necessary until `maxWaitMs` or the signal ends the wait. Groups
   * of keys take turns.
   */
  async run<Answer>(key: string, signal: AbortSignal, work: () => PromiseLike<Answer>, group = ''): Promise<Answer> {
    // No queued caller is overtaken: a caller is queued only while it cannot take a permit.
    if (this.canAcquire(key)) this.#take(key)
    else await this.#wait({ group, key }, signal)
    try {
      return await work()
    } finally {
      this.#release(key)
    }
  }

  #take(key: string): void {
    this.#held++
    this.#heldByKey.set(key, (this.#heldByKey.get(key) ?? 0) + 1)
  }

  #release(key: string): void {
    this.#held--
    const left = (this.#heldByKey.get(key) ?? 1) - 1
    if (left === 0) this.#heldByKey.delete(key)
    else this.#heldByKey.set(key, left)
    this.#wakeNext()
  }

  /** Gives the released permit to the next key that is below its share. */
  #wakeNext(): void {
    const next = this.#queue.next((key) => this.canAcquire(key))
    if (!next) return
    this.#take(next.place.key)
    next.item.wake()
  }

  #wait(place: Place, signal: AbortSignal): Promise<void> {
    if (this.#queue.sizeOf(place) >= this.#options.maxWaitingPerKey) throw this.#tooMany()
    signal.throwIfAborted()
    if (this.#queue.size >= this.#options.maxWaiting) this.#makeRoomFor(place)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        this.#queue.delete(place, waiter)
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
      const waiter = { wake, giveUp }
      this.#queue.add(place, waiter)
    })
  }

  #makeRoomFor(place: Place): void {
    const last = this.#queue.lastOfLongest(place)
    if (!last) throw this.#tooMany()
    last.giveUp()
  }

  #tooMany(): Refusal {
    const detail = `Too many ${this.#options.what} at the same time; try again when one has finished.`
    return refuse('rate_limited', { detail, headers: { 'retry-after': '10' } })
  }
}
