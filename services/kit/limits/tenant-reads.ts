import type { Sql } from '../db/client.ts'
import type { ReadOnPool } from '../db/connections.ts'
import { KeyedSemaphore } from './keyed-semaphore.ts'

export interface Reader {
  orgId: string
  /** Aborted when the client has disconnected. */
  signal: AbortSignal
}

interface TenantReadsOptions {
  readOnPool: ReadOnPool
  /** The connections of the service. */
  connections: number
  maxWaitMs?: number
}

/**
 * Reads that are too long for the pipelined connection. Bounded and long reads together leave a quarter of the
 * connections free; one organization has at most a quarter for each.
 */
export class TenantReads {
  readonly #readOnPool: ReadOnPool
  readonly #bounded: KeyedSemaphore
  readonly #long: KeyedSemaphore

  constructor({ readOnPool, connections, ...options }: TenantReadsOptions) {
    const share = (part: number) => Math.max(1, Math.floor(connections * part))
    const shares = { permits: share(3 / 8), permitsPerKey: share(1 / 4), ...options }
    this.#readOnPool = readOnPool
    this.#bounded = new KeyedSemaphore({ what: 'searches', ...shares })
    this.#long = new KeyedSemaphore({
      what: 'long reads (searches and pages with a high number)',
      ...shares,
      maxWaitingPerKey: 20,
    })
  }

  /** For metrics. */
  get semaphores(): readonly KeyedSemaphore[] {
    return [this.#bounded, this.#long]
  }

  /** Runs a read that uses a connection for some tenths of a second at most. */
  bounded<Rows>({ orgId, signal }: Reader, read: (sql: Sql) => PromiseLike<Rows>): Promise<Rows> {
    return this.#bounded.run(orgId, signal, () => this.#readOnPool(read))
  }

  /** Runs a read that can take longer. */
  long<Rows>({ orgId, signal }: Reader, read: (sql: Sql) => PromiseLike<Rows>): Promise<Rows> {
    return this.#long.run(orgId, signal, () => this.#readOnPool(read))
  }
}
