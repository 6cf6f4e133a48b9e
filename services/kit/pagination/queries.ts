import type { Sql } from '../db/client.ts'
import { inBatches } from '../worker/batches.ts'

/** The last page that was read of a list. */
export interface PageCursor {
  /** Of session, list, filters and page size. */
  key: string
  page: number
  /** Position of the last row before the page; null on page 1 and where it is unknown. */
  beganAfter: string | null
  /** Position of the last row of the page; null where it is unknown. */
  endedAt: string | null
}

export const findCursor = (sql: Sql, key: string, now: string) => sql<PageCursor[]>`
  select key, page, began_after as "beganAfter", ended_at as "endedAt" from page_cursors
  where key = ${key} and expires_at > ${now}`

/** Sorted by key: replicas that write the same cursors lock them in the same order. */
export const writeCursors = (sql: Sql, cursors: readonly PageCursor[], expiresAt: string) => sql`
  insert into page_cursors (key, page, began_after, ended_at, expires_at)
  select key, page, began_after, ended_at, ${expiresAt}
  from unnest(${cursors.map(({ key }) => key)}::text[], ${cursors.map(({ page }) => page)}::integer[],
    ${cursors.map(({ beganAfter }) => beganAfter)}::text[], ${cursors.map(({ endedAt }) => endedAt)}::text[])
    as cursors (key, page, began_after, ended_at)
  order by key
  on conflict (key) do update set
    page = excluded.page, began_after = excluded.began_after, ended_at = excluded.ended_at,
    expires_at = excluded.expires_at`

export const sweepCursors = (sql: Sql, now: string, signal: AbortSignal) =>
  inBatches(
    { limit: 10_000, signal },
    (limit) => sql`
      delete from page_cursors where ctid = any(array(
        select ctid from page_cursors
        where expires_at < ${now} order by expires_at limit ${limit} for update skip locked))`,
  )
