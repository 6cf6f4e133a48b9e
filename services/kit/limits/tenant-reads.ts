import type { Pool } from '../db/client.ts'
import type { Replica } from '../db/replica.ts'
import { KeyedSemaphore } from './keyed-semaphore.ts'

export interface Reader {
  orgId: string
  /** Aborted when the client has disconnected. */
  signal: AbortSignal
}

interface TenantReadsOptions {
  sql: Pool
  /** The connections of the service. */
  connections: number
  /** Serves the reads instead of the pool. */
  replica?: Replica | undefined
  maxWaitMs?: number
}

/**
 * Reads that are too long for the pipelined connection. Bounded and long reads together leave a quarter of the
 * connections free; one organization has at most a quarter for each.
 */
export class TenantReads {
  readonly #sql: Pool
  readonly #replica: Replica | undefined
  readonly #bounded: KeyedSemaphore
  readonly #long: KeyedSemaphore

  constructor({ sql, connections, replica, ...options }: TenantReadsOptions) {
    const share = (part: number) => Math.max(1, Math.floor(connections * part))
    const shares = { permits: share(3 / 8), permitsPerKey: share(1 / 4), ...options }
    this.#sql = sql
    this.#replica = replica
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
  bounded<Rows>({ orgId, signal }: Reader, read: (sql: Pool) => PromiseLike<Rows>): Promise<Rows> {
    return this.#bounded.run(orgId, signal, () => this.#read(read))
  }

  /** Runs a read that can take longer. */
  long<Rows>({ orgId, signal }: Reader, read: (sql: Pool) => PromiseLike<Rows>): Promise<Rows> {
    return this.#long.run(orgId, signal, () => this.#read(read))
  }

  #read<Rows>(read: (sql: Pool) => PromiseLike<Rows>): PromiseLike<Rows> {
    return this.#replica ? this.#replica.onPool(this.#sql, read) : read(this.#sql)
  }
}
