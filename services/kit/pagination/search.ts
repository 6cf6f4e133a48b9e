import type { Fragment, Sql } from '../db/client.ts'
import type { ReadContext } from '../limits/request-reads.ts'
import type { DocumentRow, PageWindow } from './pagination.ts'

/** The matches that were found, and the window of those that are missing; undefined when the page is complete. */
export interface Found<Row> {
  rows: readonly Row[]
  rest: PageWindow | undefined
}

/**
 * The two ways to find the matches of a page, which find the same ones: a scan of the next rows fills the page if many
 * match, and an index finds the few matches of a rare text.
 */
export interface Search<Row> {
  /** Rows that are scanned before the index is asked, by one statement each. */
  scans: readonly number[]
  /** The matches among the next `count` rows. */
  scan(sql: Sql, window: PageWindow, count: number): PromiseLike<Found<Row>>
  /** All matches of the window, or none where a scan is faster. */
  index?: (sql: Sql, window: PageWindow) => PromiseLike<Found<Row>>
  /**
   * Repeated after the index until the page is complete; a client that disconnects ends the search between two.
   * Default: `scan`.
   */
  longStep?: (sql: Sql, window: PageWindow, count: number) => PromiseLike<Found<Row>>
}

/** A scan of all rows. */
export const ALL = Number.POSITIVE_INFINITY

/** A common text fills a page from this number of rows. */
export const FIRST_SCAN = 2000
const LONG_SCAN = 10_000
/** If a smaller share of the scanned rows matches, the index is faster than a scan. */
const RARE = 1 / 100

/** A page of a search. Bounded scans and the index are one long read; what they do not find is a read of seconds. */
export async function search<Row>(
  { longRead, request }: Pick<ReadContext, 'longRead' | 'request'>,
  wanted: Search<Row>,
  window: PageWindow,
): Promise<readonly Row[]> {
  const { scans, scan, longStep = scan } = wanted
  const isFar = window.offset + window.limit > Math.max(scans[0] ?? ALL, FIRST_SCAN)
  const start: Found<Row> = { rows: [], rest: window }
  const near = isFar ? start : await longRead((sql) => findNear(sql, wanted, window))
  if (!near.rest) return near.rows
  return longRead(async (sql) => {
    let found = near
    let mayAskIndex = isFar
    while (found.rest) {
      request.signal.throwIfAborted()
      const scanned = await continued(found, (rest) => longStep(sql, rest, LONG_SCAN))
      const isRare = matchesBetween(found, scanned) < LONG_SCAN * RARE
      found = mayAskIndex && isRare ? await askIndex(sql, wanted, scanned) : scanned
      mayAskIndex &&= !isRare
    }
    return found.rows
  }, 'seconds')
}

/** The result of a scan that does not report its end: a whole page, or none, so that the next step begins anew. */
export const pageOrNothing = <Row>(rows: readonly Row[], window: PageWindow, scanned: number): Found<Row> =>
  rows.length === window.limit || scanned === ALL ? { rows, rest: undefined } : { rows: [], rest: window }

/** The matches of bounded scans, and of the index where they do not fill the page. */
export async function findNear<Row>(sql: Sql, wanted: Search<Row>, window: PageWindow): Promise<Found<Row>> {
  let found: Found<Row> = { rows: [], rest: window }
  for (const count of wanted.scans) found = await continued(found, (rest) => wanted.scan(sql, rest, count))
  return askIndex(sql, wanted, found)
}

async function continued<Row>(
  { rows, rest }: Found<Row>,
  step: (rest: PageWindow) => PromiseLike<Found<Row>>,
): Promise<Found<Row>> {
  if (!rest) return { rows, rest }
  const next = await step(rest)
  return { rows: [...rows, ...next.rows], rest: next.rest }
}

const askIndex = async <Row>(sql: Sql, { index }: Search<Row>, found: Found<Row>): Promise<Found<Row>> =>
  index ? continued(found, (rest) => index(sql, rest)) : found

/** The matches that a scan has skipped or found. */
const matchesBetween = ({ rest: before }: Found<unknown>, { rest: after }: Found<unknown>) =>
  lengthOf(before) - lengthOf(after)

const lengthOf = (window: PageWindow | undefined) => (window ? window.offset + window.limit : 0)

/** A match on the page, with the figures of the scan; without a match on the page there is one row of nulls. */
type ScannedRow<Row> = {
  /** Number of scanned rows: less than the requested count at the end of the list. */
  scanned: number
  /** Matches before, on and after the page. */
  matches: number
  /** The last row that was scanned; null where there was none. */
  last: string | null
} & (Row | { position: null })

/** What a scan needs of a list of documents, newest first. */
interface ScannedList {
  /** The next `count` rows: `id`, and `matches`, whether the row is wanted. */
  next: Fragment
  /** The row `page.id` as the page shows it: its document, and what its list adds. */
  shown: Fragment
}

/** Scans the next `count` rows of a list; documents are fetched last. */
export async function scanNewest<Row extends DocumentRow>(
  sql: Sql,
  { next, shown }: ScannedList,
  window: PageWindow,
  count: number,
): Promise<Found<Row>> {
  // An array index is an integer; there are no more matches than scanned rows.
  const first = Math.min(window.offset, count) + 1
  const rows = await sql<ScannedRow<Row>[]>`
    with next as materialized (
      select count(*)::integer as scanned, min(id) as last,
        coalesce(array_agg(id order by id desc) filter (where matches), '{}') as matches
      from (${next}) next
    )
    select scanned, cardinality(matches) as matches, last, page.id as position, shown.*
    from next
    left join unnest(matches[${first}::integer:${first + window.limit - 1}::integer]) as page (id) on true
    left join lateral (${shown}) shown on true
    order by page.id desc`
  const { scanned, matches, last } = rows[0] as ScannedRow<Row>
  const found = rows.filter((row): row is ScannedRow<Row> & Row => row.position !== null)
  const rest = {
    after: last ?? window.after,
    offset: Math.max(0, window.offset - matches),
    limit: window.limit - found.length,
  }
  return { rows: found, rest: rest.limit === 0 || scanned < count ? undefined : rest }
}

/** Whether no filter is set; `false` and an empty text are filters. */
export const isUnfiltered = (filters: object): boolean => Object.values(filters).every((value) => value === undefined)
