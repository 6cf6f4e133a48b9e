import type { FiltersOf } from '../../../proto/http/operation.ts'
import type * as api from '../../../proto/http/sourcing/order-lifecycle.ts'
import { ORDER_VIEWS, type OrderView } from '../../../proto/http/sourcing/orders.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { and, contains } from '../../kit/db/conditions.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import { scanNewest } from '../../kit/pagination/search.ts'
import type { RecordRow } from '../renderings/documents.ts'
import { documentFor, inView, isParty, pictureFor } from './visibility.ts'

/** Without a view: every role of the organization. */
export type OrderListing = PageWindow & Omit<FiltersOf<typeof api.findOrders>, 'q'>

/** The filters and the beginning of the page. */
const matchesListing = (sql: Sql, { state, partId, factoryId, rfqId, after }: OrderListing) =>
  and(
    sql,
    state !== undefined && sql`state = ${state}`,
    partId !== undefined && sql`part_id = ${partId}`,
    factoryId !== undefined && sql`factory_id = ${factoryId}`,
    rfqId !== undefined && sql`rfq_id = ${rfqId}`,
    sql`id < ${after ?? NEWEST_ID}`,
  )

/** The newest orders of one view. */
const newestIn = (
  sql: Sql,
  orgId: string,
  view: OrderView,
  columns: Fragment,
  listing: OrderListing,
  count: number,
) => sql`
  (select ${columns} from sourcing.orders
  where ${inView(sql, orgId, view)} and ${matchesListing(sql, listing)}
  order by id desc limit ${count})`

/** The newest orders of the wanted views together; an order of several views once. */
const newest = (sql: Sql, orgId: string, columns: Fragment, listing: OrderListing, count: number) =>
  (listing.view ? [listing.view] : ORDER_VIEWS)
    .map((view): Fragment => newestIn(sql, orgId, view, columns, listing, count))
    .reduce((all, rows) => sql`${all} union ${rows}`)

/** The order `page.id` as a page shows it. */
const shown = (sql: Sql, orgId: string) => sql`
  select ${documentFor(sql, orgId)} as document, ${pictureFor(sql, orgId)} as "pinnedPicture"
  from sourcing.orders where id = page.id`

/** Newest first, in all views: of each view as many as all pages up to the wanted one have. */
const listInAllViews = (sql: Sql, orgId: string, listing: OrderListing) => sql<RecordRow[]>`
  select page.id as position, shown.document, shown."pinnedPicture"
  from (
    select id from (${newest(sql, orgId, sql`id`, listing, listing.limit + listing.offset)}) found
    order by id desc limit ${listing.limit} offset ${listing.offset}
  ) page
  cross join lateral (${shown(sql, orgId)}) shown
  order by page.id desc`

/** Newest first. An RFQ has at most as many orders as its award has lines. */
export function listOrders(sql: Sql, orgId: string, listing: OrderListing) {
  const { view, rfqId, limit, offset } = listing
  if (view === undefined && rfqId === undefined) return listInAllViews(sql, orgId, listing)
  return sql<RecordRow[]>`
    select id as position, ${documentFor(sql, orgId)} as document, ${pictureFor(sql, orgId)} as "pinnedPicture"
    from sourcing.orders
    where ${view ? inView(sql, orgId, view) : isParty(sql, orgId)} and ${matchesListing(sql, listing)}
    order by id desc limit ${limit} offset ${offset}`
}

/** The columns of an order that a search needs. */
const searched = (sql: Sql) => sql`id, part_id, part_revision, serial_number, purchase_order_number`

/**
 * Matches among the next `count` orders. The IP owner searches by the part as it is now, the others by the revision
 * that the order pins, because a later title is not theirs to read. A join could be planned as a hash of all parts; the
 * subquery is a look-up for each order.
 */
export const scanOrders = (sql: Sql, orgId: string, { q, ...listing }: OrderListing & { q: string }, count: number) =>
  scanNewest<RecordRow>(
    sql,
    {
      next: sql`
        select id, serial_number = upper(${q}) or purchase_order_number ilike ${contains(q)} or (
          select part.serial_number = upper(${q}) or part.title ilike ${contains(q)}
          from (
            select serial_number, title from sourcing.parts where id = part_id and ip_owner_org_id = ${orgId}
            union all
            select serial_number, content ->> 'title' from sourcing.part_revisions
            where part_id = orders.part_id and revision = part_revision and ip_owner_org_id <> ${orgId}
          ) part) as matches
        from (
          select id, part_id, part_revision, serial_number, purchase_order_number
          from (${newest(sql, orgId, searched(sql), listing, count)}) every
          order by id desc limit ${count}
        ) orders`,
      shown: shown(sql, orgId),
    },
    listing,
    count,
  )
