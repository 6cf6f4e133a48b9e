import { hasAsciiTrigram } from '../../kit/db/conditions.ts'
import { withSettings } from '../../kit/db/with-settings.ts'
import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import { LARGE_OFFSET } from '../../kit/pagination/pagination.ts'
import { FIRST_SCAN, type Search, search } from '../../kit/pagination/search.ts'
import type { MeasuredColumn } from '../renderings/pictures.ts'
import {
  findPartOfSerial,
  listParts,
  listPartsAtLargeOffset,
  type PartListing,
  type PartRow,
  scanParts,
  searchIndex,
} from './queries.ts'

/** A page of a view, filtered by `q` where it is given. */
export async function findPage(
  context: ReadContext,
  read: RequestReads['read'],
  { q, ...listing }: PartListing & { q?: string },
): Promise<readonly PartRow[]> {
  const { orgId } = context.caller
  if (q !== undefined) return hasControl(q) ? [] : search(context, textSearch(orgId, listing.view, q), listing)
  const list = listing.offset <= LARGE_OFFSET ? listParts : listPartsAtLargeOffset
  return read((sql) => list(sql, orgId, listing))
}

const SERIAL_NUMBER = /^P-[0-9a-z]{8}$/i

/** A page of a view, or the part that has `q` as its serial number where the organization can read it. */
export async function findPageOrPart(
  context: ReadContext,
  read: RequestReads['read'],
  { measured, ...listing }: PartListing & { q?: string; measured: MeasuredColumn },
): Promise<readonly PartRow[]> {
  const { q, after, offset } = listing
  const [part] =
    q !== undefined && SERIAL_NUMBER.test(q)
      ? await context.read((sql) => findPartOfSerial(sql, context.caller.orgId, q, measured))
      : []
  if (!part) return findPage(context, read, listing)
  return offset === 0 && (after === undefined || part.position < after) ? [part] : []
}

/** A control character has no match: the only one in the searched text separates title and reference. */
const hasControl = (q: string) => Array.from(q).some((letter) => letter < ' ' || letter === '\x7f')

/**
 * Own parts that are scanned after the first scan. The indexes of short texts contain the parts of all organizations,
 * so a longer scan is faster.
 */
const OWN_SCAN = { word: 10_000, short: 50_000 }

/**
 * The index is slow for a rare text with common trigrams; after the timeout a scan continues. Index-only scans are off,
 * because the planner would scan all texts instead of searching the index.
 */
export const INDEX_SETTINGS = { statement_timeout: '250', enable_indexonlyscan: 'off' }

/** Where the titles and references of a view contain a text. */
export function textSearch(orgId: string, view: PartListing['view'], q: string): Search<PartRow> {
  const ownScans = [OWN_SCAN[hasAsciiTrigram(q) ? 'word' : 'short']]
  return {
    scans: [FIRST_SCAN, ...(view === 'IP_OWNER' ? ownScans : [])],
    scan: (sql, window, count) => scanParts(sql, orgId, { view, q, ...window }, count),
    index: async (sql, window) => {
      const rows = await withSettings(INDEX_SETTINGS, sql, (tx) => searchIndex(tx, orgId, { view, q, ...window }))
      return rows ? { rows, rest: undefined } : { rows: [], rest: window }
    },
  }
}
