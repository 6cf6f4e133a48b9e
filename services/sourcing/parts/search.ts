import type { Sql } from '../../kit/db/client.ts'
import { listParts, type PartListing, RECENT_PARTS, searchAllParts, searchRecentParts } from './queries.ts'

const isControl = (letter: string) => letter < ' ' || letter === '\x7f'

/**
 * A page of a view, narrowed by `q` where it is given. A word that many parts have fills its page among the newest ones;
 * only a rarer one needs the trigram index, which then finds few. Both see the same order, so the answer is the same. No title or reference has control characters, and the
 * separator of the two is one.
 */
export async function findPage(sql: Sql, orgId: string, { q, ...listing }: PartListing & { q?: string }) {
  if (q === undefined) return listParts(sql, orgId, listing)
  if (Array.from(q).some(isControl)) return []
  const search = { ...listing, q }
  if (listing.offset + listing.limit <= RECENT_PARTS) {
    const recent = await searchRecentParts(sql, orgId, search)
    if (recent.length === listing.limit) return recent
  }
  return searchAllParts(sql, orgId, search)
}
