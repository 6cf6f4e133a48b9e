import type { Sql } from '../../kit/db/client.ts'
import type { PositionedRow } from '../../kit/pages/pages.ts'
import {
  listParts,
  listPartsFarAhead,
  NEXT_PARTS,
  type PartListing,
  type PartSearch,
  searchAllParts,
  searchNextParts,
} from './queries.ts'

/** From here on it is cheaper to count in the index first. */
const FAR_AHEAD = 500

const isControl = (letter: string) => letter < ' ' || letter === '\x7f'

/** A page of a view, narrowed by `q` where it is given. */
export async function findPage(
  sql: Sql,
  orgId: string,
  { q, ...listing }: PartListing & { q?: string },
): Promise<readonly PositionedRow[]> {
  if (q !== undefined) return search(sql, orgId, { ...listing, q })
  return listing.offset > FAR_AHEAD ? listPartsFarAhead(sql, orgId, listing) : listParts(sql, orgId, listing)
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
