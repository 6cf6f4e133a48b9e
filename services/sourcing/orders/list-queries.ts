import type { FiltersOf } from '../../../proto/http/operation.ts'
import type * as api from '../../../proto/http/sourcing/order-lifecycle.ts'
import type { OrderView } from '../../../proto/http/sourcing/orders.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import { contains } from '../../kit/db/like.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { inView, isParty } from './visibility.ts'

/** Without a view: every role of the organization. */
export type OrderListing = PageWindow & Omit<FiltersOf<typeof api.findOrders>, 'q'>
export type OrderSearch = OrderListing & { q: string }

/** The filters and the beginning of the page. */
const matchesListing = (sql: Sql, { state, partId, factoryId, after }: OrderListing) =>
  and(
    sql,
    state !== undefined && sql`state = ${state}`,
    partId !== undefined && sql`part_id = ${partId}`,
    factoryId !== undefined && sql`factory_id = ${factoryId}`,
    sql`id < ${after ?? NEWEST_ID}`,
  )

/** Newest first, in one view. */
const listInView = (sql: Sql, orgId: string, view: OrderView, listing: OrderListing) => sql<DocumentRow[]>`
  select id as position, document from sourcing.orders
  where ${inView(sql, orgId, view)} and ${matchesListing(sql, listing)}
  order by id desc limit ${listing.limit} offset ${listing.offset}`

/** The newest orders of one view: as many as all pages up to the wanted one have. */
const idsIn = (sql: Sql, orgId: string, view: OrderView, listing: OrderListing) => sql`
  (select id from sourcing.orders
  where ${inView(sql, orgId, view)} and ${matchesListing(sql, listing)}
  order by id desc limit ${listing.limit + listing.offset})`

/** Newest first, in all views; an order of several views once. */
const listInAllViews = (sql: Sql, orgId: string, listing: OrderListing) => {
  const ids = (view: OrderView) => idsIn(sql, orgId, view, listing)
  return sql<DocumentRow[]>`
    select page.id as position, (select document from sourcing.orders where id = page.id) as document
    from (
      select id from (
        ${ids('CONSUMER')} union ${ids('IP_OWNER')} union ${ids('MANUFACTURER')}
        union ${ids('SELLER')} union ${ids('DISTRIBUTOR')}
      ) found
      order by id desc limit ${listing.limit} offset ${listing.offset}
    ) page
    order by page.id desc`
}

/** The orders of one RFQ, newest first. An RFQ has at most as many as its award has lines. */
const listOfRfq = (sql: Sql, orgId: string, rfqId: string, { view, ...listing }: OrderListing) => sql<DocumentRow[]>`
  select id as position, document from sourcing.orders
  where rfq_id = ${rfqId} and ${view ? inView(sql, orgId, view) : isParty(sql, orgId)} and ${matchesListing(sql, listing)}
  order by id desc limit ${listing.limit} offset ${listing.offset}`

export function listOrders(sql: Sql, orgId: string, listing: OrderListing) {
  if (listing.rfqId !== undefined) return listOfRfq(sql, orgId, listing.rfqId, listing)
  return listing.view ? listInView(sql, orgId, listing.view, listing) : listInAllViews(sql, orgId, listing)
}

const VIEWS = ['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR'] as const satisfies readonly OrderView[]

/** The next `count` orders of a view. */
const nextIn = (sql: Sql, orgId: string, view: OrderView, search: OrderSearch, count: number) => sql`
  (select id, part_id, serial_number from sourcing.orders
  where ${inView(sql, orgId, view)}
    and ${and(sql, search.rfqId !== undefined && sql`rfq_id = ${search.rfqId}`, matchesListing(sql, search))}
  order by id desc limit ${count})`

/** A match on the page, with the figures of the scan; without a match on the page there is one row of nulls. */
export type ScannedOrder = {
  /** Number of scanned orders: less than the requested count at the end of the view. */
  scanned: number
  /** Matches before, on and after the page. */
  matches: number
  /** The last order that was scanned; null where there was none. */
  last: string | null
} & (DocumentRow | { position: null; document: null })

/**
 * Matches among the next `count` orders, which are the newest ones of all wanted views together. Each organization of an
 * order may read its part, so the title tells nothing new. A join could be planned as a hash of all parts; the subquery
 * is a look-up for each order.
 */
export const scanOrders = (sql: Sql, orgId: string, search: OrderSearch, count: number) => {
  const next = (search.view ? [search.view] : VIEWS)
    .map((view): Fragment => nextIn(sql, orgId, view, search, count))
    .reduce((all, rows) => sql`${all} union ${rows}`)
  const first = Math.min(search.offset, count) + 1
  const last = first + search.limit - 1
  return sql<ScannedOrder[]>`
    with next as materialized (
      select count(*)::integer as scanned, min(id) as last,
        coalesce(array_agg(id order by id desc) filter (where serial_number = upper(${search.q}) or (
          select part.serial_number = upper(${search.q}) or part.title ilike ${contains(search.q)}
          from sourcing.parts part where part.id = part_id)), '{}') as matches
      from (select id, part_id, serial_number from (${next}) every order by id desc limit ${count}) orders
    )
    select scanned, cardinality(matches) as matches, last, page.id as position,
      (select document from sourcing.orders where id = page.id) as document
    from next left join unnest(matches[${first}::integer:${last}::integer]) as page (id) on true
    order by page.id desc`
}
