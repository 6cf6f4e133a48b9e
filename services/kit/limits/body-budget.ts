import { type Refusal, refuse, unavailable } from '../errors/refusal.ts'
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

/** The reservation of an unfinished body. */
interface Held {
  bytes: number
  evict(refusal: Refusal): void
}

/** The unfinished bodies of one client, oldest first. */
interface Client {
  bytes: number
  bodies: Set<Held>
}

/**
 * Bounds the memory of request bodies that are being read. When it is full, the oldest body of the client with the most
 * bytes is evicted for a client with fewer. Counts within this process; each replica has its own.
 */
export class BodyBudget {
  readonly #options: BodyBudgetOptions
  readonly #clients = new Map<string, Client>()
  #reserved = 0

  constructor(options: BodyBudgetOptions) {
    requireWhole({ ...options }, 1)
    this.#options = options
  }

  /** Bytes reserved now. */
  get reservedBytes(): number {
    return this.#reserved
  }

  /**
   * Reserves memory for a body: 429 beyond the share of the client, 503 beyond the total. `evict` is called after the
   * reservation was released for another client.
   */
  reserve(client: string, bytes: number, evict: (refusal: Refusal) => void): Reservation {
    const held: Held = { bytes: 0, evict }
    this.#take(client, held, bytes)
    return {
      grow: (more) => {
        if (!this.#clients.get(client)?.bodies.has(held)) throw new Error('the reservation is released')
        this.#take(client, held, more)
      },
      release: () => this.#release(client, held),
    }
  }

  #take(client: string, held: Held, bytes: number): void {
    requireWhole({ bytes }, 0)
    const { maxBytes, maxBytesPerClient } = this.#options
    const present = this.#clients.get(client) ?? { bytes: 0, bodies: new Set() }
    const ofClient = present.bytes + bytes
    if (ofClient > maxBytesPerClient) {
      const detail = 'Too many bytes in unfinished requests; try again when some have finished.'
      throw refuse('rate_limited', { detail, headers: { 'retry-after': '10' } })
    }
    while (this.#reserved + bytes > maxBytes) this.#makeRoomFor(ofClient)
    this.#clients.set(client, present)
    present.bytes = ofClient
    present.bodies.add(held)
    held.bytes += bytes
    this.#reserved += bytes
  }

  /** Evicts the oldest body of the client with the most bytes. Throws 503 if the new one would have no fewer. */
  #makeRoomFor(bytesOfNew: number): void {
    const [first] = [...this.#clients].toSorted(([, one], [, other]) => other.bytes - one.bytes)
    const [client, { bytes, bodies }] = first ?? ['', NO_BODIES]
    const [oldest] = bodies
    if (!oldest || bytes <= bytesOfNew) throw noMemory()
    this.#release(client, oldest)
    oldest.evict(noMemory())
  }

  #release(client: string, held: Held): void {
    const present = this.#clients.get(client)
    if (!present?.bodies.delete(held)) return
    present.bytes -= held.bytes
    this.#reserved -= held.bytes
    if (present.bodies.size === 0) this.#clients.delete(client)
  }
}

const NO_BODIES: Client = { bytes: 0, bodies: new Set() }

const noMemory = () => unavailable('memory', 'Too many request bodies are being read; try again in a moment.')
