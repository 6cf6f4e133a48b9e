import type { Sql } from '../db/client.ts'
import { deleteExpired } from '../worker/expired.ts'

/** The last page that was read of a list. */
export interface PageCursor {
  /** Of session or token, list, filters and page size. */
  key: string
  page: number
  /** Position of the last row before the page; null on page 1 and where it is unknown. */
  startAfter: string | null
  /** Position of the last row of the page; null where it is unknown. */
  endPosition: string | null
}

export const findCursor = (sql: Sql, key: string, now: string) => sql<PageCursor[]>`
  select key, page, start_after as "startAfter", end_position as "endPosition" from page_cursors
  where key = ${key} and expires_at > ${now}`

/** Sorted by key: replicas that write the same cursors lock them in the same order. */
export const writeCursors = (sql: Sql, cursors: readonly PageCursor[], expiresAt: string) => sql`
  insert into page_cursors (key, page, start_after, end_position, expires_at)
  select key, page, start_after, end_position, ${expiresAt}
  from unnest(${cursors.map(({ key }) => key)}::text[], ${cursors.map(({ page }) => page)}::integer[],
    ${cursors.map(({ startAfter }) => startAfter)}::text[], ${cursors.map(({ endPosition }) => endPosition)}::text[])
    as cursors (key, page, start_after, end_position)
  order by key
  on conflict (key) do update set
    page = excluded.page, start_after = excluded.start_after, end_position = excluded.end_position,
    expires_at = excluded.expires_at`

const EXPIRED = { table: 'page_cursors', key: 'key', time: 'expires_at', keptDays: 0, limit: 10_000 }

export const cleanUpCursors = (sql: Sql, now: string, signal: AbortSignal) => deleteExpired(sql, [EXPIRED], now, signal)
