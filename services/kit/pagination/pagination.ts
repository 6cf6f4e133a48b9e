import type { PageQuery } from '../../../proto/http/shapes.ts'
import { PageText } from '../db/json-text.ts'
import { CursorStore, type CursorStoreOptions } from './cursor-store.ts'
import type { PageCursor } from './queries.ts'

/** The rows of a list that are wanted. */
export interface PageWindow {
  /** Position of the last row before the window; undefined at the beginning of the list. */
  after: string | undefined
  /** Rows that are skipped after it. */
  offset: number
  limit: number
}

/** A row with its public JSON. */
export interface DocumentRow {
  /** The sort key of the row in its list, unique by the id in it. */
  position: string
  document: string
}

interface PagedList {
  /** A service account's processes share a key, which is their session, but no token. */
  caller: { sessionId: string; clientTokenId?: string }
  /** The operation, with the id of the record whose list it is where there is one. */
  list: string
  /** Page, page size and every filter. */
  query: PageQuery
}

interface Page<Row> {
  items: Row[]
  hasMore: boolean
}

type ReadWindow<Row> = (window: PageWindow) => PromiseLike<readonly Row[]>

/**
 * Keyset pagination behind page numbers. For each session (for a service account: each token), list, filter set and page
 * size one cursor stores where the last page that was read began and ended. The page after it continues there, the same
 * page begins where it began, and every other page is found by its offset in the current data. So a reader of
 * consecutive pages misses and repeats nothing while rows are added and removed, and each page costs the same.
 */
export class Pagination {
  readonly #cursors: CursorStore

  constructor(options: CursorStoreOptions) {
    this.#cursors = new CursorStore(options)
  }

  async page<Row>(
    { caller, list, query }: PagedList,
    readWindow: ReadWindow<Row>,
    positionOf: (row: Row) => string,
  ): Promise<Page<Row>> {
    const { page, pageSize, ...filters } = query
    const key = Bun.SHA256.hash(
      JSON.stringify([caller.clientTokenId ?? caller.sessionId, list, pageSize, filters]),
      'base64',
    )
    const after = page === 1 ? null : startOf(page, await this.#cursors.find(key))
    const usesOffset = page > 1 && after === null
    // One row more shows whether a next page exists; with an offset, the row before the page shows where it begins.
    const window = usesOffset
      ? { after: undefined, offset: (page - 1) * pageSize - 1, limit: pageSize + 2 }
      : { after: after || undefined, offset: 0, limit: pageSize + 1 }
    const found = await readWindow(window)
    const before = usesOffset ? found[0] : undefined
    const rows = usesOffset ? found.slice(1) : found
    const items = rows.slice(0, pageSize)
    const last = items.at(-1)
    const startAfter = before === undefined ? after : positionOf(before)
    const endOfEmptyPage = page === 1 ? BEGINNING : startAfter
    this.#cursors.put({ key, page, startAfter, endPosition: last === undefined ? endOfEmptyPage : positionOf(last) })
    return { items, hasMore: rows.length > pageSize }
  }

  /** The JSON of a page, composed of the documents of its rows. */
  async json(list: PagedList, readWindow: ReadWindow<DocumentRow>): Promise<PageText> {
    const { items, hasMore } = await this.page(list, readWindow, ({ position }) => position)
    return new PageText(items.map(({ document }) => document).join(','), hasMore)
  }
}

/** Position before every row, where an empty first page ends. */
const BEGINNING = ''

/** Position after which a page begins; null if it has to be found by its offset. */
const startOf = (page: number, cursor: PageCursor | undefined): string | null => {
  if (cursor?.page === page) return cursor.startAfter
  return cursor?.page === page - 1 ? cursor.endPosition : null
}
