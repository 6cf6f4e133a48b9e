import type { Pool } from '../../kit/db/client.ts'
import type { PipelinedReads } from '../../kit/db/pipelined-reads.ts'
import { within } from '../../kit/db/within.ts'
import { TenantSemaphore } from '../../kit/limits/tenant-semaphore.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import {
  hasTrigram,
  listParts,
  listPartsFarAhead,
  type PartListing,
  type PartSearch,
  type ScannedMatch,
  scanParts,
  searchIndex,
} from './queries.ts'

/** Offsets above this are counted in the index first. */
const FAR_AHEAD = 500
/** Offsets above this count as long reads. */
const LONG_READ_OFFSET = 100_000

export interface PartReads {
  sql: Pool
  reads: PipelinedReads
  /** For reads that use a connection for some tenths of a second at most. */
  searches: TenantSemaphore
  /** For reads that can take longer. */
  longReads: TenantSemaphore
}

/** Searches and long reads together leave a quarter of the connections; one organization has at most a quarter for each. */
export function placesToRead(connections: number): Pick<PartReads, 'searches' | 'longReads'> {
  const share = (part: number) => Math.max(1, Math.floor(connections * part))
  const shares = { permits: share(3 / 8), permitsPerTenant: share(1 / 4) }
  return {
    searches: new TenantSemaphore({ what: 'searches', ...shares }),
    longReads: new TenantSemaphore({ what: 'long reads (searches and far pages)', ...shares, maxWaitingPerTenant: 20 }),
  }
}

export interface Reader {
  orgId: string
  /** Aborted when the client has disconnected. */
  signal: AbortSignal
}

/** A page of a view, filtered by `q` where it is given. */
export async function findPage(
  reads: PartReads,
  reader: Reader,
  { q, ...listing }: PartListing & { q?: string },
): Promise<readonly DocumentRow[]> {
  if (q !== undefined) return findMatches(reads, reader, { ...listing, q })
  const { orgId, signal } = reader
  if (listing.offset <= FAR_AHEAD) return reads.reads.query((sql) => listParts(sql, orgId, listing))
  const semaphore = listing.offset <= LONG_READ_OFFSET ? reads.searches : reads.longReads
  return semaphore.run(orgId, signal, () => listPartsFarAhead(reads.sql, orgId, listing))
}

/** Parts that are scanned before an index is searched. */
const FIRST_SCAN = 2000
/**
 * The same of an organization's own parts. The indexes of short texts contain the parts of all organizations, so a longer
 * scan is faster.
 */
const OWN_SCAN = { word: 10_000, short: 50_000 }
/** Parts that are scanned by one statement of a long search: it is short, and the search can end between two of them. */
const LONG_SCAN = 10_000
/** An index finds a text sooner that fewer of the scanned parts match. */
const RARE = 1 / 100
/**
 * A common trigram of a rare text makes an index slow; then a scan continues. Index-only scans are off, because the planner
 * would scan all texts instead of searching the index.
 */
export const INDEX_SETTINGS = { statement_timeout: '250', enable_indexonlyscan: 'off' }

const isControl = (letter: string) => letter < ' ' || letter === '\x7f'

/**
 * Two strategies, which find the same matches: a scan of the next parts, which fills a page with a text that many parts
 * have, and an index of the texts, which finds the few matches of a rare one. Titles and references contain no control
 * characters; the separator between them is one.
 */
async function findMatches({ sql, searches, longReads }: PartReads, reader: Reader, wanted: PartSearch) {
  if (Array.from(wanted.q).some(isControl)) return []
  const { orgId, signal } = reader
  const search = new TextSearch(sql, reader, wanted)
  if (wanted.offset + wanted.limit <= FIRST_SCAN) await searches.run(orgId, signal, () => search.runShort())
  return search.isComplete ? search.found : longReads.run(orgId, signal, () => search.runToEnd())
}

/** The state of one search: the matches that were found, and the part after which the search continues. */
class TextSearch {
  readonly #sql: Pool
  readonly #reader: Reader
  readonly #wanted: PartSearch
  readonly found: DocumentRow[] = []
  isComplete = false
  /** Matches that are still to be skipped. */
  #offset: number
  #after: string | undefined
  #isIndexSearched = false

  constructor(sql: Pool, reader: Reader, wanted: PartSearch) {
    this.#sql = sql
    this.#reader = reader
    this.#wanted = wanted
    this.#offset = wanted.offset
    this.#after = wanted.after
  }

  /** A bounded scan, then the index: both are short. */
  async runShort(): Promise<void> {
    await this.#scan(FIRST_SCAN)
    const { view, q } = this.#wanted
    if (view === 'IP_OWNER') await this.#scan(hasTrigram(q) ? OWN_SCAN.word : OWN_SCAN.short)
    await this.#searchIndex()
  }

  /** Scans until the page is full, no part is left or the client has disconnected. */
  async runToEnd(): Promise<readonly DocumentRow[]> {
    while (!this.isComplete) {
      this.#reader.signal.throwIfAborted()
      const share = await this.#scan(LONG_SCAN)
      if (share < RARE) await this.#searchIndex()
    }
    return this.found
  }

  /** Scans the next parts; returns the share that matches. */
  async #scan(among: number): Promise<number> {
    if (this.isComplete) return 0
    const rows = await scanParts(this.#sql, this.#reader.orgId, this.#rest, among)
    for (const row of rows) if (row.position !== null) this.found.push(row)
    const { scanned, matches, last } = rows[0] as ScannedMatch
    this.isComplete = this.found.length === this.#wanted.limit || scanned < among
    this.#offset = Math.max(0, this.#offset - matches)
    this.#after = last ?? this.#after
    return matches / among
  }

  /** Finds all that is left, unless the statement times out. */
  async #searchIndex(): Promise<void> {
    if (this.isComplete || this.#isIndexSearched) return
    this.#isIndexSearched = true
    const rows = await within(INDEX_SETTINGS, this.#sql, (tx) => searchIndex(tx, this.#reader.orgId, this.#rest))
    if (!rows) return
    this.found.push(...rows)
    this.isComplete = true
  }

  get #rest(): PartSearch {
    const limit = this.#wanted.limit - this.found.length
    return { ...this.#wanted, after: this.#after, offset: this.#offset, limit }
  }
}
