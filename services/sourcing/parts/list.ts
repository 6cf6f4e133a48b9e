import type { Sql } from '../../kit/db/client.ts'
import { withSettings } from '../../kit/db/with-settings.ts'
import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import { type DocumentRow, LARGE_OFFSET } from '../../kit/pagination/pagination.ts'
import {
  findPartOfSerial,
  hasAsciiTrigram,
  listParts,
  listPartsAtLargeOffset,
  type PartListing,
  type PartSearch,
  type ScannedMatch,
  scanParts,
  searchIndex,
} from './queries.ts'

/** A page of a view, filtered by `q` where it is given. */
export async function findPage(
  context: ReadContext,
  read: RequestReads['read'],
  { q, ...listing }: PartListing & { q?: string },
): Promise<readonly DocumentRow[]> {
  if (q !== undefined) return findMatches(context, { ...listing, q })
  const list = listing.offset <= LARGE_OFFSET ? listParts : listPartsAtLargeOffset
  return read((sql) => list(sql, context.caller.orgId, listing))
}

const SERIAL_NUMBER = /^P-[0-9a-z]{8}$/i

/** A page of a view, or the part that has `q` as its serial number where the organization can read it. */
export async function findPageOrPart(
  context: ReadContext,
  read: RequestReads['read'],
  listing: PartListing & { q?: string },
): Promise<readonly DocumentRow[]> {
  const { q, after, offset } = listing
  const [part] =
    q !== undefined && SERIAL_NUMBER.test(q)
      ? await context.read((sql) => findPartOfSerial(sql, context.caller.orgId, q))
      : []
  if (!part) return findPage(context, read, listing)
  return offset === 0 && (after === undefined || part.position < after) ? [part] : []
}

/** Parts that are scanned before an index is searched. */
const FIRST_SCAN = 2000
/**
 * Own parts that are scanned after the first scan. The indexes of short texts contain the parts of all organizations,
 * so a longer scan is faster.
 */
const OWN_SCAN = { word: 10_000, short: 50_000 }
/** Parts that one statement of a long search scans. A search can end between two statements. */
const LONG_SCAN = 10_000
/** If a smaller share of the scanned parts matches, the index is faster than a scan. */
const RARE = 1 / 100
/**
 * The index is slow for a rare text with common trigrams; after the timeout a scan continues. Index-only scans are off,
 * because the planner would scan all texts instead of searching the index.
 */
export const INDEX_SETTINGS = { statement_timeout: '250', enable_indexonlyscan: 'off' }

const isControl = (letter: string) => letter < ' ' || letter === '\x7f'

/**
 * Two strategies find the same matches. A scan of the next parts fills a page if many parts match; an index of the
 * texts finds the few matches of a rare text. A control character has no match: the only one in the searched text is
 * the separator between title and reference.
 */
async function findMatches({ caller, request, longRead }: ReadContext, wanted: PartSearch) {
  const reader = { orgId: caller.orgId, signal: request.signal }
  if (Array.from(wanted.q).some(isControl)) return []
  let search = new TextSearch(reader, wanted)
  if (wanted.offset + wanted.limit <= FIRST_SCAN) {
    search = await longRead((sql) => search.copy().runBounded(sql))
  }
  return search.isComplete ? search.found : longRead((sql) => search.copy().runToEnd(sql), 'seconds')
}

interface Reader {
  orgId: string
  signal: AbortSignal
}

/** The state of one search: the matches that were found, and the part after which the search continues. */
class TextSearch {
  readonly #reader: Reader
  readonly #wanted: PartSearch
  readonly found: DocumentRow[] = []
  isComplete = false
  /** Matches that are still to be skipped. */
  #offset: number
  #after: string | undefined
  #isIndexSearched = false

  constructor(reader: Reader, wanted: PartSearch) {
    this.#reader = reader
    this.#wanted = wanted
    this.#offset = wanted.offset
    this.#after = wanted.after
  }

  /** The same state, because a read that fails on a replica is repeated on the primary. */
  copy(): TextSearch {
    const copy = new TextSearch(this.#reader, this.#wanted)
    copy.found.push(...this.found)
    copy.isComplete = this.isComplete
    copy.#offset = this.#offset
    copy.#after = this.#after
    copy.#isIndexSearched = this.#isIndexSearched
    return copy
  }

  /** A bounded scan, then the index: both are short. */
  async runBounded(sql: Sql): Promise<TextSearch> {
    await this.#scan(sql, FIRST_SCAN)
    const { view, q } = this.#wanted
    if (view === 'IP_OWNER') await this.#scan(sql, hasAsciiTrigram(q) ? OWN_SCAN.word : OWN_SCAN.short)
    await this.#searchIndex(sql)
    return this
  }

  /** Scans until the page is full, no part is left or the client has disconnected. */
  async runToEnd(sql: Sql): Promise<readonly DocumentRow[]> {
    while (!this.isComplete) {
      this.#reader.signal.throwIfAborted()
      const share = await this.#scan(sql, LONG_SCAN)
      if (share < RARE) await this.#searchIndex(sql)
    }
    return this.found
  }

  /** Scans the next parts; returns the share that matches. */
  async #scan(sql: Sql, count: number): Promise<number> {
    if (this.isComplete) return 0
    const rows = await scanParts(sql, this.#reader.orgId, this.#rest, count)
    for (const row of rows) if (row.position !== null) this.found.push(row)
    const { scanned, matches, last } = rows[0] as ScannedMatch
    this.isComplete = this.found.length === this.#wanted.limit || scanned < count
    this.#offset = Math.max(0, this.#offset - matches)
    this.#after = last ?? this.#after
    return matches / count
  }

  /** Finds all remaining matches, unless the statement times out. */
  async #searchIndex(sql: Sql): Promise<void> {
    if (this.isComplete || this.#isIndexSearched) return
    this.#isIndexSearched = true
    const rows = await withSettings(INDEX_SETTINGS, sql, (tx) => searchIndex(tx, this.#reader.orgId, this.#rest))
    if (!rows) return
    this.found.push(...rows)
    this.isComplete = true
  }

  get #rest(): PartSearch {
    const limit = this.#wanted.limit - this.found.length
    return { ...this.#wanted, after: this.#after, offset: this.#offset, limit }
  }
}
