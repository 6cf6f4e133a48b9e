import type { FiltersOf } from '../../../proto/http/operation.ts'
import type * as api from '../../../proto/http/sourcing/offers.ts'
import { OFFER_VIEWS, type OfferView } from '../../../proto/http/sourcing/offers.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import type { RecordRow } from '../renderings/documents.ts'
import { documentFor, isConsumer, isIpOwner, isManufacturer, pictureFor } from './visibility.ts'

/** Without a view: every role of the organization. */
export type OfferListing = PageWindow & FiltersOf<typeof api.listOffers>

const inView = (sql: Sql, orgId: string, view: OfferView) => {
  if (view === 'MANUFACTURER') return isManufacturer(sql, orgId)
  return view === 'IP_OWNER' ? isIpOwner(sql, orgId) : isConsumer(sql, orgId)
}

/** The filters and the beginning of the page. A state that contradicts `activated` matches no offer. */
const matchesListing = (sql: Sql, { rfqId, partId, state, activated, after }: OfferListing) =>
  and(
    sql,
    rfqId !== undefined && sql`rfq_id = ${rfqId}`,
    partId !== undefined && sql`part_id = ${partId}`,
    state !== undefined && sql`state = ${state}`,
    activated === true && sql`state = 'ACCEPTED'`,
    activated === false && sql`state <> 'ACCEPTED'`,
    sql`id < ${after ?? NEWEST_ID}`,
  )

/** Newest first, in one view. */
const listInView = (sql: Sql, orgId: string, view: OfferView, listing: OfferListing) => sql<RecordRow[]>`
  select id as position, ${documentFor(sql, orgId)} as document, ${pictureFor(sql, orgId)} as "pinnedPicture"
  from sourcing.offers
  where ${inView(sql, orgId, view)} and ${matchesListing(sql, listing)}
  order by id desc limit ${listing.limit} offset ${listing.offset}`

/** Ids in one view, newest first: as many as all pages up to the wanted one have. */
const listedIds = (sql: Sql, orgId: string, view: OfferView, listing: OfferListing) => sql`
  (select id from sourcing.offers
  where ${inView(sql, orgId, view)} and ${matchesListing(sql, listing)}
  order by id desc limit ${listing.limit + listing.offset})`

/** Newest first, in every role. An offer of several roles is listed once. */
const listInAllViews = (sql: Sql, orgId: string, listing: OfferListing) => {
  const ids = OFFER_VIEWS.map((view): Fragment => listedIds(sql, orgId, view, listing))
  return sql<RecordRow[]>`
    select offers.id as position, ${documentFor(sql, orgId)} as document,
      ${pictureFor(sql, orgId)} as "pinnedPicture"
    from (
      select id from (${ids.reduce((all, rows) => sql`${all} union ${rows}`)}) found
      order by id desc limit ${listing.limit} offset ${listing.offset}
    ) page
    join sourcing.offers on offers.id = page.id
    order by offers.id desc`
}

export const listOffers = (sql: Sql, orgId: string, listing: OfferListing) =>
  listing.view ? listInView(sql, orgId, listing.view, listing) : listInAllViews(sql, orgId, listing)
