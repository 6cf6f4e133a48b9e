import type { PageQuery } from '../../../proto/http/shapes.ts'
import type { Caller } from '../auth/caller.ts'
import type { JsonText } from '../http/json.ts'
import { pageOfDocuments, windowOf } from '../http/pages.ts'
import { type AnchorOptions, Anchors } from './anchors.ts'

/** Which rows of a list are wanted: those after a position, or from its beginning, without the first `offset`. */
export interface PageWindow {
  after: string | undefined
  offset: number
  /** One more than a page has: whether there is a next one. */
  limit: number
}

export interface PositionedRow {
  /** Where the row stands in the order of its list; ties are impossible. */
  position: string
  document: string
}

export interface PagedList {
  caller: Caller
  /** The operation, and the record whose list it is where there is one. */
  list: string
  /** Page, page size and every filter. */
  query: PageQuery
}

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

  async read(
    { caller, list, query }: PagedList,
    rowsIn: (window: PageWindow) => PromiseLike<readonly PositionedRow[]>,
  ): Promise<JsonText> {
    const { page, pageSize, ...filters } = query
    const key = Bun.SHA256.hash(JSON.stringify([caller.sessionId, list, pageSize, filters]), 'base64')
    const { limit, offset } = windowOf(query)
    const anchor = page === 1 ? undefined : await this.#anchors.find(key, page)
    const skipped = anchor ? (page - anchor.page) * pageSize : offset
    const rows = await rowsIn({ after: anchor?.after, offset: skipped, limit })
    const last = rows[pageSize - 1]
    if (rows.length > pageSize && last) this.#anchors.keep({ key, page: page + 1, after: last.position })
    return pageOfDocuments(rows, query)
  }
}
