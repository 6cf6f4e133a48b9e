import type { PageQuery } from '../../../proto/http/shapes.ts'
import type { Sql } from '../db/client.ts'
import { PageText } from '../db/json-text.ts'
import { type WithoutNulls, withoutNulls } from '../db/rows.ts'
import { found } from '../errors/refusal.ts'
import type { RequestReads } from '../limits/request-reads.ts'
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

/** The request for a page. */
interface PageRequest extends RequestReads {
  /** A service account's processes share a key, which is their session, but no token. */
  caller: { sessionId: string; clientTokenId?: string }
  /** Page, page size and every filter. */
  query: PageQuery
}

interface PagedList {
  /** The operation, with the id of the record whose list it is where there is one. */
  name: string
  /** Its pages read more than their rows: they merge several ranges of an index, or count what belongs to each row. */
  isMerged?: boolean
}

interface Page<Row> {
  items: Row[]
  hasMore: boolean
}

/** Reads the rows of a window. `read` fits its cost by default; a list that knows its cost better may use another. */
type ReadWindow<Row> = (window: PageWindow, read: RequestReads['read']) => PromiseLike<readonly Row[]>

/** A page with a larger offset takes too long for the connection of short reads. */
export const LARGE_OFFSET = 500
/** A page with a larger offset takes seconds. */
const LONG_OFFSET = { ofList: 100_000, ofMergedList: 1000 }

/**
 * Keyset pagination behind page numbers. For each session (for a service account: each token), list, filter set and
 * page size one cursor stores where the last page that was read began and ended. The page after it continues there, the
 * same page begins where it began, and every other page is found by its offset in the current data. So a reader of
 * consecutive pages misses and repeats nothing while rows are added and removed, and each page costs the same.
 */
export class Pagination {
  readonly #cursors: CursorStore

  constructor(options: CursorStoreOptions) {
    this.#cursors = new CursorStore(options)
  }

  async page<Row>(
    request: PageRequest,
    list: string | PagedList,
    readWindow: ReadWindow<Row>,
    positionOf: (row: Row) => string,
  ): Promise<Page<Row>> {
    const { name, isMerged = false } = typeof list === 'string' ? { name: list } : list
    const { caller, query } = request
    const { page, pageSize, ...filters } = query
    const key = Bun.SHA256.hash(
      JSON.stringify([caller.clientTokenId ?? caller.sessionId, name, pageSize, filters]),
      'base64',
    )
    const after = page === 1 ? null : startOf(page, await this.#cursors.find(key))
    const usesOffset = page > 1 && after === null
    // One row more shows whether a next page exists; with an offset, the row before the page shows where it begins.
    const window = usesOffset
      ? { after: undefined, offset: (page - 1) * pageSize - 1, limit: pageSize + 2 }
      : { after: after || undefined, offset: 0, limit: pageSize + 1 }
    const found = await readWindow(window, readFor(request, window, isMerged))
    const before = usesOffset ? found[0] : undefined
    const rows = usesOffset ? found.slice(1) : found
    const items = rows.slice(0, pageSize)
    const last = items.at(-1)
    const startAfter = before === undefined ? after : positionOf(before)
    const endOfEmptyPage = page === 1 ? BEGINNING : startAfter
    this.#cursors.put({ key, page, startAfter, endPosition: last === undefined ? endOfEmptyPage : positionOf(last) })
    return { items, hasMore: rows.length > pageSize }
  }

  /** A page of rows as the API shows them. */
  async items<Row extends object>(
    request: PageRequest,
    list: string | PagedList,
    readWindow: ReadWindow<Row>,
    positionOf: (row: Row) => string,
  ): Promise<Page<WithoutNulls<Row>>> {
    const { items, hasMore } = await this.page(request, list, readWindow, positionOf)
    return { items: items.map(withoutNulls), hasMore }
  }

  /** The JSON of a page of what the caller reads, with the filters of the query. */
  async ofCaller<Query extends PageQuery>(
    context: PageRequest & { caller: { orgId: string }; query: Query },
    list: string | PagedList,
    listOf: (sql: Sql, orgId: string, filters: Query & PageWindow) => PromiseLike<readonly DocumentRow[]>,
  ): Promise<PageText> {
    const { caller, query } = context
    return this.json(context, list, (window, read) => read((sql) => listOf(sql, caller.orgId, { ...query, ...window })))
  }

  /** The JSON of a page of what belongs to a record; 404 where the caller may not read the record. */
  async ofRecord(
    context: PageRequest & { caller: { orgId: string }; params: { id: string } },
    list: string | PagedList,
    find: (sql: Sql, orgId: string, id: string) => PromiseLike<readonly unknown[]>,
    listOf: (sql: Sql, id: string, window: PageWindow) => PromiseLike<readonly DocumentRow[]>,
  ): Promise<PageText> {
    const { orgId } = context.caller
    const { id } = context.params
    found(await context.read((sql) => find(sql, orgId, id)))
    const { name, ...more } = typeof list === 'string' ? { name: list } : list
    return this.json(context, { name: `${name} ${id}`, ...more }, (window, read) =>
      read((sql) => listOf(sql, id, window)),
    )
  }

  /** The JSON of a page, composed of the documents of its rows. */
  async json(request: PageRequest, list: string | PagedList, readWindow: ReadWindow<DocumentRow>): Promise<PageText> {
    const { items, hasMore } = await this.page(request, list, readWindow, ({ position }) => position)
    return new PageText(items.map(({ document }) => document).join(','), hasMore)
  }
}

/**
 * The read of a window. An index serves one filter; with several, the records of one are read until enough match the
 * others.
 */
export function readFor(
  { query, read, longRead }: Omit<PageRequest, 'caller'>,
  { offset }: Pick<PageWindow, 'offset'>,
  isMerged = false,
): RequestReads['read'] {
  if (offset > LONG_OFFSET[isMerged ? 'ofMergedList' : 'ofList']) return (rows) => longRead(rows, 'seconds')
  return offset > LARGE_OFFSET || isMerged || hasSeveralFilters(query) ? longRead : read
}

function hasSeveralFilters({ page, pageSize, view, ...filters }: PageQuery & { view?: string }): boolean {
  return Object.values(filters).filter((filter) => filter !== undefined).length > 1
}

/** Position before every row, where an empty first page ends. */
const BEGINNING = ''

/** Position after which a page begins; null if it has to be found by its offset. */
const startOf = (page: number, cursor: PageCursor | undefined): string | null => {
  if (cursor?.page === page) return cursor.startAfter
  return cursor?.page === page - 1 ? cursor.endPosition : null
}
