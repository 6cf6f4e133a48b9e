import type { Sql } from '../../kit/db/client.ts'
import type { ExpressLane } from '../../kit/db/express-lane.ts'
import type { LongReads } from '../../kit/pages/long-reads.ts'
import type { AnchoredPage, PositionedRow } from '../../kit/pages/pages.ts'
import {
  countNextMatches,
  listParts,
  listPartsFarAhead,
  listPartsFrom,
  NEXT_PARTS,
  type PartListing,
  type PartSearch,
  searchAllParts,
  searchNextParts,
} from './queries.ts'

/** From here on it is cheaper to count in the index first. */
export const FAR_AHEAD = 500
/** From here on that takes so long that few may do it at once. */
const LONG_AHEAD = 100_000

export interface PartReads {
  sql: Sql
  lane: ExpressLane
  longReads: LongReads
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
  const { sql, lane } = reads
  if (listing.offset <= FAR_AHEAD) return lane.ask((short) => listParts(short, reader.orgId, listing))
  const jump = () => listPartsFarAhead(sql, reader.orgId, listing)
  return listing.offset <= LONG_AHEAD ? jump() : reads.longReads.during(reader.orgId, jump)
}

/** A page by its anchor: only who has jumped far from it, or past the end, asks a second time. */
export async function findPageFrom(
  { sql, lane, longReads }: PartReads,
  { orgId }: Reader,
  start: AnchoredPage & { view: PartListing['view'] },
): Promise<readonly PositionedRow[]> {
  const near = await lane.ask((short) => listPartsFrom(short, orgId, { ...start, maxSkipped: FAR_AHEAD }))
  if (near.length > 0) return near
  const farthest = start.page * start.pageSize
  const jump = () => listPartsFrom(sql, orgId, { ...start, maxSkipped: farthest })
  return farthest <= LONG_AHEAD ? jump() : longReads.during(orgId, jump)
}

/**
 * A word that many parts have fills its page among the next ones; only a rarer one needs an index of all, which then finds
 * few. Both see the same order, so the answer is the same. No title or reference has control characters, and the separator
 * of the two is one.
 */
async function search(reads: PartReads, reader: Reader, wanted: PartSearch): Promise<readonly PositionedRow[]> {
  if (Array.from(wanted.q).some(isControl)) return []
  if (wanted.offset + wanted.limit > NEXT_PARTS) {
    return reads.longReads.during(reader.orgId, () => searchFarAhead(reads.sql, reader, wanted))
  }
  return (await searchNext(reads.sql, reader, wanted, NEXT_PARTS)) ?? searchAllParts(reads.sql, reader.orgId, wanted)
}

/** Undefined where more than the next parts would have to be looked at. */
async function searchNext(
  sql: Sql,
  { orgId }: Reader,
  wanted: PartSearch,
  among: number,
): Promise<readonly PositionedRow[] | undefined> {
  const next = await searchNextParts(sql, orgId, wanted, among)
  const matches = next.filter((row) => row.position !== null)
  const isWhole = next.every(({ looked_through }) => looked_through < among)
  return matches.length === wanted.limit || isWhole ? matches : undefined
}

/** Parts that are counted in one statement: none takes long, and between two of them one can leave. */
const COUNTED_AT_ONCE = 10_000
/** Of a word that fewer parts have, all are found by their index. */
const RARE = 1 / 100

/** Where a page starts thousands of matches on: those of a common word are counted, part after part. */
async function searchFarAhead(sql: Sql, reader: Reader, wanted: PartSearch): Promise<readonly PositionedRow[]> {
  const { orgId, signal } = reader
  let { after, offset } = wanted
  for (let among = NEXT_PARTS; ; among = COUNTED_AT_ONCE) {
    signal.throwIfAborted()
    const [counted] = await countNextMatches(sql, orgId, { ...wanted, after }, among)
    if (!counted || counted.last === null) return []
    const isWhole = counted.looked_through < among
    if (!isWhole && counted.matches < counted.looked_through * RARE) break
    if (counted.matches > offset || isWhole) break
    offset -= counted.matches
    after = counted.last
  }
  const here = { ...wanted, after, offset }
  return (await searchNext(sql, reader, here, COUNTED_AT_ONCE)) ?? searchAllParts(sql, orgId, here)
}
