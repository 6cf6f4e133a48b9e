import type { Pool } from '../../kit/db/client.ts'
import type { PipelinedReads } from '../../kit/db/pipelined-reads.ts'
import { within } from '../../kit/db/within.ts'
import { TenantSemaphore } from '../../kit/limits/tenant-semaphore.ts'
import type { AnchoredPage, PositionedRow } from '../../kit/pages/pages.ts'
import {
  hasTrigram,
  listParts,
  listPartsFarAhead,
  listPartsFrom,
  type NextMatch,
  type PartListing,
  type PartSearch,
  searchAllParts,
  searchNextParts,
} from './queries.ts'

/** From here on it is cheaper to count in the index first. */
export const FAR_AHEAD = 500
/** From here on that takes longer. */
const LONG_AHEAD = 100_000

export interface PartReads {
  sql: Pool
  reads: PipelinedReads
  /** Places for what takes a connection for some tenths of a second at most, */
  searches: TenantSemaphore
  /** and for what can take longer. */
  longReads: TenantSemaphore
}

/** Together fewer than there are connections, and a quarter for one organization: everybody else needs the pool too. */
export function placesToRead(connections: number): Pick<PartReads, 'searches' | 'longReads'> {
  const share = (part: number) => Math.max(1, Math.floor(connections * part))
  const shares = { permits: share(3 / 8), permitsPerTenant: share(1 / 4) }
  return {
    searches: new TenantSemaphore({ what: 'searches', ...shares }),
    longReads: new TenantSemaphore({
      what: 'long reads, searches and pages far on,',
      ...shares,
      maxWaitingPerTenant: 20,
    }),
  }
}

export interface Reader {
  orgId: string
  /** Nobody reads on for a client that has left. */
  signal: AbortSignal
}

const isControl = (letter: string) => letter < ' ' || letter === '\x7f'

/** A page of a view, narrowed by `q` where it is given. */
export async function findPage(
  reads: PartReads,
  reader: Reader,
  { q, ...listing }: PartListing & { q?: string },
): Promise<readonly PositionedRow[]> {
  if (q !== undefined) return search(reads, reader, { ...listing, q })
  const { orgId, signal } = reader
  if (listing.offset <= FAR_AHEAD) return reads.reads.query((short) => listParts(short, orgId, listing))
  return jumps(reads, listing.offset).run(orgId, signal, () => listPartsFarAhead(reads.sql, orgId, listing))
}

/** A page by its anchor: only who has jumped far from it, or past the end, asks a second time. */
export async function findPageFrom(
  reads: PartReads,
  { orgId, signal }: Reader,
  start: AnchoredPage & { view: PartListing['view'] },
): Promise<readonly PositionedRow[]> {
  const near = await reads.reads.query((short) => listPartsFrom(short, orgId, { ...start, maxSkipped: FAR_AHEAD }))
  if (near.length > 0) return near
  const farthest = start.page * start.pageSize
  const jump = () => listPartsFrom(reads.sql, orgId, { ...start, maxSkipped: farthest })
  return jumps(reads, farthest).run(orgId, signal, jump)
}

const jumps = ({ searches, longReads }: PartReads, farAhead: number) => (farAhead <= LONG_AHEAD ? searches : longReads)

/** How many of the next parts are looked through one by one before an index of all is asked. */
const NEXT_PARTS = 2000
/** The same in one's own parts: an index has everybody's, and so many are looked through sooner; most of all for a short word. */
const OWN_NEXT_PARTS = { word: 10_000, letters: 50_000 }
/** Parts that are looked through in one statement on a long way: none takes long, and between two of them one can leave. */
const PARTS_AT_ONCE = 10_000
/** Of a word that fewer parts have, all are found by their index. */
const RARE = 1 / 100
/**
 * An index has parts of words: where these are common and the word is not, looking for oneself is bounded at least. It is
 * an index that is asked: texts are not to be read from end to end in its name.
 */
export const ASKING_INDEX = { statement_timeout: '250', enable_indexonlyscan: 'off' }

/**
 * A word that many parts have fills its page among the next ones; only a rarer one needs an index of all, which then finds
 * few. All see the same order, so the answer is the same. No title or reference has control characters, and the separator
 * of the two is one.
 */
async function search({ sql, searches, longReads }: PartReads, reader: Reader, wanted: PartSearch) {
  if (Array.from(wanted.q).some(isControl)) return []
  const { orgId, signal } = reader
  const way = new Way(sql, reader, wanted)
  if (wanted.offset + wanted.limit <= NEXT_PARTS) await searches.run(orgId, signal, () => way.nearby())
  return way.isDone ? way.found : longReads.run(orgId, signal, () => way.toTheEnd())
}

/** A search on its way through the parts of a view, from the newest on. */
class Way {
  readonly #sql: Pool
  readonly #reader: Reader
  readonly #wanted: PartSearch
  readonly found: PositionedRow[] = []
  isDone = false
  /** Matches that still lie before the page. */
  #offset: number
  #after: string | undefined
  #mayAskIndex = true

  constructor(sql: Pool, reader: Reader, wanted: PartSearch) {
    this.#sql = sql
    this.#reader = reader
    this.#wanted = wanted
    this.#offset = wanted.offset
    this.#after = wanted.after
  }

  /** Looks where most pages are found, which is soon done. */
  async nearby(): Promise<void> {
    await this.#lookThrough(NEXT_PARTS)
    const { view, q } = this.#wanted
    if (view === 'IP_OWNER') await this.#lookThrough(hasTrigram(q) ? OWN_NEXT_PARTS.word : OWN_NEXT_PARTS.letters)
    await this.#askIndex()
  }

  /** Looks through so many of the next parts; answers what share of them matches. */
  async #lookThrough(among: number): Promise<number> {
    if (this.isDone) return 0
    const rows = await searchNextParts(this.#sql, this.#reader.orgId, this.#rest, among)
    for (const row of rows) if (row.position !== null) this.found.push(row)
    const { looked_through, matches, last } = rows[0] as NextMatch
    this.isDone = this.found.length === this.#wanted.limit || looked_through < among
    this.#offset = Math.max(0, this.#offset - matches)
    this.#after = last ?? this.#after
    return matches / among
  }

  /** Finds all that is left by an index, unless that takes long. */
  async #askIndex(): Promise<void> {
    if (this.isDone || !this.#mayAskIndex) return
    this.#mayAskIndex = false
    const rows = await within(ASKING_INDEX, this.#sql, (tx) => searchAllParts(tx, this.#reader.orgId, this.#rest))
    if (!rows) return
    this.found.push(...rows)
    this.isDone = true
  }

  /** Goes on part after part, until the page is full, nothing is left or the reader has left. */
  async toTheEnd(): Promise<readonly PositionedRow[]> {
    while (!this.isDone) {
      this.#reader.signal.throwIfAborted()
      const share = await this.#lookThrough(PARTS_AT_ONCE)
      if (share < RARE) await this.#askIndex()
    }
    return this.found
  }

  get #rest(): PartSearch {
    const limit = this.#wanted.limit - this.found.length
    return { ...this.#wanted, after: this.#after, offset: this.#offset, limit }
  }
}
