import { refuse, unavailable } from '../errors/refusal.ts'
import { requireWhole } from './whole-number.ts'

interface BodyBudgetOptions {
  /** The most bytes of unfinished request bodies in this process. */
  maxBytes: number
  /** The most of one client: an organization, or the network of an anonymous request. */
  maxBytesPerClient: number
}

/** The bytes that one request has reserved. */
export interface Reservation {
  /** Reserves more. Throws once the reservation is released, which ends a read that passed its deadline. */
  grow(bytes: number): void
  release(): void
}

/** Bounds the memory of request bodies that are being read. Counts within this process; each replica has its own. */
export class BodyBudget {
  readonly #options: BodyBudgetOptions
  readonly #reservedByClient = new Map<string, number>()
  #reserved = 0

  constructor(options: BodyBudgetOptions) {
    requireWhole({ ...options }, 1)
    this.#options = options
  }

  /** Bytes reserved now. */
  get reservedBytes(): number {
    return this.#reserved
  }

  /** Reserves memory for a body: 429 beyond the share of the client, 503 beyond the total. */
  reserve(client: string, bytes: number): Reservation {
    let own = 0
    let isReleased = false
    const grow = (more: number) => {
      if (isReleased) throw new Error('the reservation is released')
      this.#take(client, more)
      own += more
    }
    const release = () => {
      if (!isReleased) this.#give(client, own)
      isReleased = true
    }
    grow(bytes)
    return { grow, release }
  }

  #take(client: string, bytes: number): void {
    requireWhole({ bytes }, 0)
    const { maxBytes, maxBytesPerClient } = this.#options
    const ofClient = (this.#reservedByClient.get(client) ?? 0) + bytes
    if (ofClient > maxBytesPerClient) {
      const detail = 'Too many bytes of unfinished requests at once; try again when some are done.'
      throw refuse('rate_limited', { detail, headers: { 'retry-after': '10' } })
    }
    if (this.#reserved + bytes > maxBytes)
      throw unavailable('memory', 'Too many request bodies are being read; try again soon.')
    this.#reserved += bytes
    this.#reservedByClient.set(client, ofClient)
  }

  #give(client: string, bytes: number): void {
    this.#reserved -= bytes
    const left = (this.#reservedByClient.get(client) ?? 0) - bytes
    if (left > 0) this.#reservedByClient.set(client, left)
    else this.#reservedByClient.delete(client)
  }
}
