import type { Sql } from '../db/client.ts'
import { inBatches } from '../worker/batches.ts'

export interface Anchor {
  /** Of session, list, filters and page size. */
  key: string
  page: number
  /** The position of the last row of the page before. */
  after: string
}

/** The last anchor at or before a page. */
export const findAnchor = (sql: Sql, page: { key: string; page: number; now: string }) =>
  sql<{ page: number; after: string }[]>`${anchorOf(sql, page)}`

/** The same as a part of the list's own statement. */
export const anchorOf = (sql: Sql, { key, page, now }: { key: string; page: number; now: string }) => sql`
  select page, after from page_anchors
  where key = ${key} and page <= ${page} and expires_at > ${now}
  order by page desc limit 1`

/** One anchor for each key. Those further on belong to an older reading of the same list, and go. */
export const keepAnchors = (sql: Sql, anchors: readonly Anchor[], expiresAt: string) => sql`
  with fresh as materialized (
    select key, page, after
    from unnest(${anchors.map(({ key }) => key)}::text[], ${anchors.map(({ page }) => page)}::integer[],
      ${anchors.map(({ after }) => after)}::text[]) as anchors (key, page, after)
  ), older as (
    delete from page_anchors a using fresh where a.key = fresh.key and a.page > fresh.page
  )
  insert into page_anchors as a (key, page, after, expires_at)
  select key, page, after, ${expiresAt} from fresh
  on conflict (key, page) do update set after = excluded.after, expires_at = excluded.expires_at`

/** As many as readers leave: each page that is not the last of its list leaves one. */
export const sweepAnchors = (sql: Sql, now: string, signal: AbortSignal) =>
  inBatches(
    { limit: 10_000, signal },
    (limit) => sql`
      delete from page_anchors where ctid = any(array(
        select ctid from page_anchors
        where expires_at < ${now} order by expires_at limit ${limit} for update skip locked))`,
  )
