import type { PageQuery } from '../../../proto/http/shapes.ts'
import type { Caller } from '../auth/caller.ts'
import type { JsonText } from '../db/json-text.ts'
import { pageOfDocuments, windowOf } from '../http/pages.ts'
import { type AnchorOptions, Anchors } from './anchors.ts'

/** Which rows of a list are wanted: those after a position, or from its beginning, without the first `offset`. */
export interface PageWindow {
  after: string | undefined
  offset: number
  /** One more than a page has: whether there is a next one. */
  limit: number
}

/** A page whose anchor the list looks up itself, see `anchorOf`. */
export interface AnchoredPage {
  key: string
  page: number
  pageSize: number
  limit: number
  now: string
}

export interface Positioned {
  /** Where the row stands in the order of its list; ties are impossible. */
  position: string
}

/** A row that carries its public JSON. */
export interface PositionedRow extends Positioned {
  document: string
}

export interface PagedList {
  caller: Caller
  /** The operation, and the record whose list it is where there is one. */
  list: string
  /** Page, page size and every filter. */
  query: PageQuery
}

type RowsIn<Row> = (window: PageWindow) => PromiseLike<readonly Row[]>
type RowsFrom<Row> = (start: AnchoredPage) => PromiseLike<readonly Row[]>

/**
 * Pages that cost the same however far on they are: a page leaves an anchor, the position of its last row, and the next
 * page begins there, for 15 minutes, for the same session, list, filters and page size. Whoever reads page after page
 * skips and repeats nothing while others write. A page without an anchor is counted from the nearest one before it.
 */
export class Pages {
  readonly #anchors: Anchors

  constructor(options: AnchorOptions) {
    this.#anchors = new Anchors(options)
  }

  /** The envelope of a page of rows that carry their public JSON. */
  async read(list: PagedList, rowsIn: RowsIn<PositionedRow>, rowsFrom?: RowsFrom<PositionedRow>): Promise<JsonText> {
    return pageOfDocuments(await this.rows(list, rowsIn, rowsFrom), list.query)
  }

  /**
   * The rows of a page, and one more where there is a next one. A list that is asked often may look up its anchor within
   * its own statement: `rowsFrom`.
   */
  async rows<Row extends Positioned>(
    { caller, list, query }: PagedList,
    rowsIn: RowsIn<Row>,
    rowsFrom?: RowsFrom<Row>,
  ): Promise<readonly Row[]> {
    const { page, pageSize, ...filters } = query
    const key = Bun.SHA256.hash(JSON.stringify([caller.sessionId, list, pageSize, filters]), 'base64')
    const rows = await this.#find(key, query, rowsIn, rowsFrom)
    const last = rows[pageSize - 1]
    if (rows.length > pageSize && last) this.#anchors.keep({ key, page: page + 1, after: last.position })
    return rows
  }

  async #find<Row>(
    key: string,
    query: PageQuery,
    rowsIn: RowsIn<Row>,
    rowsFrom: RowsFrom<Row> | undefined,
  ): Promise<readonly Row[]> {
    const { page, pageSize } = query
    const { limit, offset } = windowOf(query)
    if (page === 1) return rowsIn({ after: undefined, offset, limit })
    const known = this.#anchors.unwritten(key, page)
    if (!known && rowsFrom) return rowsFrom({ key, page, pageSize, limit, now: this.#anchors.now() })
    const anchor = known ?? (await this.#anchors.find(key, page))
    const skipped = anchor ? (page - anchor.page) * pageSize : offset
    return rowsIn({ after: anchor?.after, offset: skipped, limit })
  }
}
