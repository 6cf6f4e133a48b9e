import type { OfferView } from '../../../proto/http/sourcing/offers.ts'
import type { OfferState } from '../../../proto/states/offers.ts'
import type { Sql } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { documentFor, isConsumer, isIpOwner, isManufacturer } from './visibility.ts'

export interface OfferFilters {
  rfqId?: string | undefined
  partId?: string | undefined
  state?: OfferState | undefined
  activated?: boolean | undefined
}

export interface OfferListing extends PageWindow, OfferFilters {
  /** Undefined: every role of the organization. */
  view?: OfferView | undefined
}

const VIEWS = ['CONSUMER', 'IP_OWNER', 'MANUFACTURER'] as const satisfies readonly OfferView[]

const inView = (sql: Sql, orgId: string, view: OfferView) => {
  if (view === 'MANUFACTURER') return isManufacturer(sql, orgId)
  return view === 'IP_OWNER' ? isIpOwner(sql, orgId) : isConsumer(sql, orgId)
}

/** The filters and the beginning of the page. A state that contradicts `activated` matches no offer. */
const matchesListing = (sql: Sql, { rfqId, partId, state, activated, after }: OfferListing) => sql`
  ${rfqId === undefined ? sql`` : sql`and rfq_id = ${rfqId}`}
  ${partId === undefined ? sql`` : sql`and part_id = ${partId}`}
  ${state === undefined ? sql`` : sql`and state = ${state}`}
  ${activated === true ? sql`and state = 'ACCEPTED'` : sql``}
  ${activated === false ? sql`and state <> 'ACCEPTED'` : sql``}
  and id < ${after ?? NEWEST_ID}`

/** Newest first, in one view. */
const listInView = (sql: Sql, orgId: string, view: OfferView, listing: OfferListing) => sql<DocumentRow[]>`
  select id as position, ${documentFor(sql, orgId)} as document from sourcing.offers
  where ${inView(sql, orgId, view)} ${matchesListing(sql, listing)}
  order by id desc limit ${listing.limit} offset ${listing.offset}`

/** Ids in one view, newest first: as many as all pages up to the wanted one have. */
const listedIds = (sql: Sql, orgId: string, view: OfferView, listing: OfferListing) => sql`
  (select id from sourcing.offers
  where ${inView(sql, orgId, view)} ${matchesListing(sql, listing)}
  order by id desc limit ${listing.limit + listing.offset})`

/** Newest first, in every role. An offer of several roles is listed once. */
const listInAllViews = (sql: Sql, orgId: string, listing: OfferListing) => {
  const ids = (view: OfferView) => listedIds(sql, orgId, view, listing)
  return sql<DocumentRow[]>`
    select offers.id as position, ${documentFor(sql, orgId)} as document
    from (
      select id from (${ids(VIEWS[0])} union ${ids(VIEWS[1])} union ${ids(VIEWS[2])}) found
      order by id desc limit ${listing.limit} offset ${listing.offset}
    ) page
    join sourcing.offers on offers.id = page.id
    order by offers.id desc`
}

export const listOffers = (sql: Sql, orgId: string, listing: OfferListing) =>
  listing.view ? listInView(sql, orgId, listing.view, listing) : listInAllViews(sql, orgId, listing)
