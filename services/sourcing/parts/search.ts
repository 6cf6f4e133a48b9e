import type { Sql } from '../../kit/db/client.ts'
import type { ExpressLane } from '../../kit/db/express-lane.ts'
import type { AnchoredPage, PositionedRow } from '../../kit/pages/pages.ts'
import {
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

const isControl = (letter: string) => letter < ' ' || letter === '\x7f'

export interface Connections {
  sql: Sql
  lane: ExpressLane
}

/** A page of a view, narrowed by `q` where it is given. */
export async function findPage(
  { sql, lane }: Connections,
  orgId: string,
  { q, ...listing }: PartListing & { q?: string },
): Promise<readonly PositionedRow[]> {
  if (q !== undefined) return search(sql, orgId, { ...listing, q })
  if (listing.offset > FAR_AHEAD) return listPartsFarAhead(sql, orgId, listing)
  return lane.ask((short) => listParts(short, orgId, listing))
}

/** A page by its anchor: only who has jumped far from it, or past the end, asks a second time. */
export async function findPageFrom(
  { sql, lane }: Connections,
  orgId: string,
  start: AnchoredPage & { view: PartListing['view'] },
): Promise<readonly PositionedRow[]> {
  const near = await lane.ask((short) => listPartsFrom(short, orgId, { ...start, maxSkipped: FAR_AHEAD }))
  if (near.length > 0) return near
  return listPartsFrom(sql, orgId, { ...start, maxSkipped: start.page * start.pageSize })
}

/**
 * A word that many parts have fills its page among the next ones; only a rarer one needs an index of all, which then finds
 * few. Both see the same order, so the answer is the same. No title or reference has control characters, and the separator
 * of the two is one.
 */
async function search(sql: Sql, orgId: string, wanted: PartSearch): Promise<readonly PositionedRow[]> {
  if (Array.from(wanted.q).some(isControl)) return []
  if (wanted.offset + wanted.limit <= NEXT_PARTS) {
    const next = await searchNextParts(sql, orgId, wanted)
    const matches = next.filter((row) => row.position !== null)
    const isWhole = next.every(({ looked_through }) => looked_through < NEXT_PARTS)
    if (matches.length === wanted.limit || isWhole) return matches
  }
  return searchAllParts(sql, orgId, wanted)
}
