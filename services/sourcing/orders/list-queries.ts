import type { OrderView } from '../../../proto/http/sourcing/orders.ts'
import type { OrderState } from '../../../proto/states/orders.ts'
import type { Sql } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { inView, isParty } from './visibility.ts'

export interface OrderFilters {
  state?: OrderState | undefined
  partId?: string | undefined
  factoryId?: string | undefined
  rfqId?: string | undefined
}

export interface OrderListing extends PageWindow, OrderFilters {
  /** Undefined: every role of the organization. */
  view?: OrderView | undefined
}

/** The filters and the beginning of the page. */
const matchesListing = (sql: Sql, { state, partId, factoryId, after }: OrderListing) => sql`
  ${state === undefined ? sql`` : sql`and state = ${state}`}
  ${partId === undefined ? sql`` : sql`and part_id = ${partId}`}
  ${factoryId === undefined ? sql`` : sql`and factory_id = ${factoryId}`}
  and id < ${after ?? NEWEST_ID}`

/** Newest first, in one view. */
const listInView = (sql: Sql, orgId: string, view: OrderView, listing: OrderListing) => sql<DocumentRow[]>`
  select id as position, document from sourcing.orders
  where ${inView(sql, orgId, view)} ${matchesListing(sql, listing)}
  order by id desc limit ${listing.limit} offset ${listing.offset}`

/** The newest orders of one view: as many as all pages up to the wanted one have. */
const idsIn = (sql: Sql, orgId: string, view: OrderView, listing: OrderListing) => sql`
  (select id from sourcing.orders
  where ${inView(sql, orgId, view)} ${matchesListing(sql, listing)}
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
  where rfq_id = ${rfqId} and ${view ? inView(sql, orgId, view) : isParty(sql, orgId)} ${matchesListing(sql, listing)}
  order by id desc limit ${listing.limit} offset ${listing.offset}`

export function listOrders(sql: Sql, orgId: string, listing: OrderListing) {
  if (listing.rfqId !== undefined) return listOfRfq(sql, orgId, listing.rfqId, listing)
  return listing.view ? listInView(sql, orgId, listing.view, listing) : listInAllViews(sql, orgId, listing)
}
