import type { Operation } from '../../../proto/http/operation.ts'
import type { Connections } from '../db/connections.ts'
import type { Query } from '../db/pipelined-reads.ts'
import { KeyedSemaphore } from './keyed-semaphore.ts'

/** The ways in which an operation reads. A query may run twice, so it changes nothing outside of it. */
export interface RequestReads {
  /** A read that an index bounds: one statement, or several that are sent together. */
  read<Rows>(query: Query<Rows>): Promise<Rows>
  /**
   * A read that uses a connection for some tenths of a second, within the share of its organization. Reads of seconds
   * are those that `Pagination` and `search` begin; they have a share of their own, so that they delay no others.
   */
  longRead<Rows>(query: Query<Rows>, lasts?: 'seconds'): Promise<Rows>
}

/** What a list needs of its request. */
export interface ReadContext extends RequestReads {
  caller: { orgId: string }
  request: { signal: AbortSignal }
}

interface ReadsOptions {
  /** The connections of the service. */
  size: number
  maxWaitMs?: number
}

/**
 * The reads of all requests of a service. Long reads leave a quarter of the connections free; one organization has at
 * most a quarter for each kind. The reads of commands, and those without a caller, which decide about access, use the
 * primary.
 */
export class ReadShares {
  readonly #connections: Pick<Connections, 'reads' | 'primaryReads'>
  readonly #searches: KeyedSemaphore
  readonly #seconds: KeyedSemaphore

  constructor(connections: Pick<Connections, 'reads' | 'primaryReads'>, { size, ...options }: ReadsOptions) {
    const share = (part: number) => Math.max(1, Math.floor(size * part))
    const shares = { permits: share(3 / 8), permitsPerKey: share(1 / 4), ...options }
    this.#connections = connections
    this.#searches = new KeyedSemaphore({ what: 'searches', ...shares })
    const what = 'long reads (searches and pages with a high number)'
    this.#seconds = new KeyedSemaphore({ what, ...shares, maxWaitingPerKey: 20 })
  }

  /** For metrics. */
  get semaphores(): readonly KeyedSemaphore[] {
    return [this.#searches, this.#seconds]
  }

  /** The reads of one request. A client that has disconnected leaves the queue of its organization. */
  of(
    request: Pick<Request, 'signal'>,
    orgId: string,
    { access, audit }: Pick<Operation, 'access' | 'audit'>,
  ): RequestReads {
    const { reads, primaryReads } = this.#connections
    const server = access === 'public' || audit ? primaryReads : reads
    return {
      read: (query) => server.short(query),
      longRead: (query, lasts) => {
        const semaphore = lasts ? this.#seconds : this.#searches
        return semaphore.run(orgId, request.signal, () => server.long(query))
      },
    }
  }
}
