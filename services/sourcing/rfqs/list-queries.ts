import type { RfqView } from '../../../proto/http/sourcing/rfqs.ts'
import type { RfqState } from '../../../proto/states/rfqs.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { contains } from '../../kit/db/like.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { isConsumer, isInvited, isIpOwner } from './visibility.ts'

export interface RfqFilters {
  state?: RfqState | undefined
  partId?: string | undefined
  excludeDrafts?: boolean | undefined
  excludeExpired?: boolean | undefined
}

export interface RfqListing extends PageWindow, RfqFilters {
  /** Undefined: every role of the organization. */
  view?: RfqView | undefined
  now: string
}

export interface RfqSearch extends RfqListing {
  q: string
}

const VIEWS = ['CONSUMER', 'IP_OWNER', 'MANUFACTURER'] as const satisfies readonly RfqView[]

const inView = (sql: Sql, orgId: string, view: RfqView) => {
  if (view === 'MANUFACTURER') return isInvited(sql, orgId)
  return view === 'IP_OWNER' ? isIpOwner(sql, orgId) : isConsumer(sql, orgId)
}

/** The condition of a view in expressions that only the text index contains. */
const inSearchedView = (sql: Sql, orgId: string, view: RfqView) => {
  if (view === 'MANUFACTURER') return sql`(org_id || '') = ${orgId}`
  return view === 'IP_OWNER'
    ? sql`(ip_owner_org_id || '') = ${orgId} and published_at is not null`
    : sql`(consumer_org_id || '') = ${orgId}`
}

/** The table of a view: manufacturers have a row for each invitation. */
const tableOf = (sql: Sql, view: RfqView) =>
  view === 'MANUFACTURER' ? sql`sourcing.rfq_invitations` : sql`sourcing.rfqs`

/** The title that the organization may search in a view. */
const titleIn = (sql: Sql, view: RfqView) => (view === 'IP_OWNER' ? sql`owner_part_title` : sql`part_title`)

const idIn = (sql: Sql, view: RfqView) => (view === 'MANUFACTURER' ? sql`rfq_id` : sql`id`)

/** The filters and the beginning of the page. Only the consumer has drafts. */
const matchesListing = (
  sql: Sql,
  view: RfqView,
  { state, partId, excludeDrafts, excludeExpired, now, after }: RfqListing,
) => sql`
  ${state === undefined ? sql`` : sql`and ${view === 'MANUFACTURER' ? sql`rfq_state` : sql`state`} = ${state}`}
  ${partId === undefined ? sql`` : sql`and part_id = ${partId}`}
  ${excludeDrafts && view === 'CONSUMER' ? sql`and state <> 'DRAFT'` : sql``}
  ${excludeExpired ? sql`and not expired and expires_at > ${now}` : sql``}
  and ${idIn(sql, view)} < ${after ?? NEWEST_ID}`

/** Newest first, in one view. */
const listInView = (sql: Sql, orgId: string, view: RfqView, listing: RfqListing) => sql<DocumentRow[]>`
  select ${idIn(sql, view)} as position, document from ${tableOf(sql, view)}
  where ${inView(sql, orgId, view)} ${matchesListing(sql, view, listing)}
  order by ${idIn(sql, view)} desc limit ${listing.limit} offset ${listing.offset}`

const lengthOf = ({ limit, offset }: PageWindow) => limit + offset

/** The rows of one view, or of all. An RFQ of several views may have a row in each. */
const inEvery = (sql: Sql, view: RfqView | undefined, rowsIn: (one: RfqView) => Fragment): Fragment =>
  view ? rowsIn(view) : sql`(${rowsIn(VIEWS[0])}) union all (${rowsIn(VIEWS[1])}) union all (${rowsIn(VIEWS[2])})`

/** Ids of one view, newest first: as many as all pages up to the wanted one have. */
const listedIds = (sql: Sql, orgId: string, view: RfqView, listing: RfqListing) => sql`
  select ${idIn(sql, view)} as id from ${tableOf(sql, view)}
  where ${inView(sql, orgId, view)} ${matchesListing(sql, view, listing)}
  order by ${idIn(sql, view)} desc limit ${lengthOf(listing)}`

/** The RFQ, and the part, that has the text as its serial number. */
const rfqOfSerial = (sql: Sql, q: string) => sql`(select id from sourcing.rfqs where serial_number = upper(${q}))`
const partOfSerial = (sql: Sql, q: string) =>
  sql`(select part_id from sourcing.rfqs where part_serial_number = upper(${q}) limit 1)`

/** The next `count` RFQs of a view. */
const nextIn = (sql: Sql, orgId: string, view: RfqView, listing: RfqListing, count: number) => sql`
  select ${idIn(sql, view)} as id, part_id, ${titleIn(sql, view)} as title from ${tableOf(sql, view)}
  where ${inView(sql, orgId, view)} ${matchesListing(sql, view, listing)}
  order by ${idIn(sql, view)} desc limit ${count}`

/** All matches of a view, by the indexes of titles and serial numbers. */
const indexedIds = (sql: Sql, orgId: string, view: RfqView, search: RfqSearch) => sql`
  (with matches as materialized (
    select ${idIn(sql, view)} as id from ${tableOf(sql, view)}
    where ${inSearchedView(sql, orgId, view)} and ${titleIn(sql, view)} ilike ${contains(search.q)}
      ${matchesListing(sql, view, search)}
    union
    select ${idIn(sql, view)} from ${tableOf(sql, view)}
    where ${inView(sql, orgId, view)} and ${idIn(sql, view)} = ${rfqOfSerial(sql, search.q)}
      ${matchesListing(sql, view, search)}
    union
    select ${idIn(sql, view)} from ${tableOf(sql, view)}
    where ${inView(sql, orgId, view)} and part_id = ${partOfSerial(sql, search.q)} ${matchesListing(sql, view, search)}
  )
  select id from matches order by id desc limit ${lengthOf(search)})`

/** The JSON of an RFQ. Without a view, an invited consumer or IP owner sees that of consumer and IP owner. */
const documentIn = (sql: Sql, orgId: string, view: RfqView | undefined) => {
  const whole = sql`(select document from sourcing.rfqs
    where id = page.id and (${isConsumer(sql, orgId)} or (${isIpOwner(sql, orgId)})))`
  const invited = sql`(select document from sourcing.rfq_invitations
    where rfq_id = page.id and ${isInvited(sql, orgId)})`
  if (view === 'MANUFACTURER') return invited
  return view ? whole : sql`coalesce(${whole}, ${invited})`
}

/** The documents of a page of the ids that were found. */
const pageOf = (sql: Sql, orgId: string, { view, limit, offset }: RfqListing, found: Fragment) => sql<DocumentRow[]>`
  select page.id as position, ${documentIn(sql, orgId, view)} as document
  from (select distinct id from (${found}) found order by id desc limit ${limit} offset ${offset}) page
  order by page.id desc`

export const listRfqs = (sql: Sql, orgId: string, listing: RfqListing) =>
  listing.view
    ? listInView(sql, orgId, listing.view, listing)
    : pageOf(
        sql,
        orgId,
        listing,
        inEvery(sql, undefined, (view) => listedIds(sql, orgId, view, listing)),
      )

/**
 * Matches among the next `count` RFQs, which are the newest ones of all views together: those of one view alone may end
 * at an older RFQ than those of another, whose matches in between would be missing.
 */
export const scanRfqs = (sql: Sql, orgId: string, search: RfqSearch, count: number) => {
  const next = inEvery(sql, search.view, (view) => nextIn(sql, orgId, view, search, count))
  return pageOf(
    sql,
    orgId,
    search,
    sql`
    select id from (select id, part_id, title from (${next}) every order by id desc limit ${count}) next
    where title ilike ${contains(search.q)} or id = ${rfqOfSerial(sql, search.q)}
      or part_id = ${partOfSerial(sql, search.q)}`,
  )
}

/** Matches among all RFQs of each view. */
export const searchIndex = (sql: Sql, orgId: string, search: RfqSearch) =>
  pageOf(
    sql,
    orgId,
    search,
    inEvery(sql, search.view, (view) => indexedIds(sql, orgId, view, search)),
  )
