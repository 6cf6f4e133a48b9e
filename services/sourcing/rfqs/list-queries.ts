import type { FiltersOf } from '../../../proto/http/operation.ts'
import { type listRfqs as api, RFQ_VIEWS, type RfqView } from '../../../proto/http/sourcing/rfqs.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { and, contains } from '../../kit/db/conditions.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import type { RecordRow } from '../renderings/documents.ts'
import {
  isConsumer,
  isInvited,
  isIpOwner,
  pictureFor,
  readAsInvitee,
  readAsParty,
  seenInvitation,
  seenRfq,
} from './visibility.ts'

export type RfqFilters = Omit<FiltersOf<typeof api>, 'q' | 'view'>

/** Without a view: every role of the organization. */
export type RfqListing = PageWindow & RfqFilters & { view?: RfqView | undefined; now: string }

export type RfqSearch = RfqListing & { q: string }

/** The rows of one role of an organization. `isInIndex` has expressions that only the index of the titles contains. */
interface View {
  table: Fragment
  id: Fragment
  state: Fragment
  /** What the organization reads of it. */
  columns: Fragment
  /** The title that the organization may search. */
  title: Fragment
  isIn: Fragment
  isInIndex: Fragment
  hasDrafts: boolean
}

const viewOf: Record<RfqView, (sql: Sql, orgId: string) => View> = {
  CONSUMER: (sql, orgId) => ({
    ...ofRfqs(sql),
    columns: readAsParty(sql, orgId, sql`rfq.consumer_document`),
    title: sql`part_title`,
    isIn: isConsumer(sql, orgId),
    isInIndex: sql`(consumer_org_id || '') = ${orgId}`,
    hasDrafts: true,
  }),
  IP_OWNER: (sql, orgId) => ({
    ...ofRfqs(sql),
    columns: readAsParty(sql, orgId),
    title: sql`owner_part_title`,
    isIn: isIpOwner(sql, orgId),
    isInIndex: sql`(ip_owner_org_id || '') = ${orgId} and published_at is not null`,
    hasDrafts: false,
  }),
  MANUFACTURER: (sql, orgId) => ({
    table: sql`sourcing.rfq_invitations invitation`,
    id: sql`rfq_id`,
    state: sql`rfq_state`,
    columns: readAsInvitee(sql, orgId),
    title: sql`part_title`,
    isIn: isInvited(sql, orgId),
    isInIndex: sql`(org_id || '') = ${orgId}`,
    hasDrafts: false,
  }),
}

const ofRfqs = (sql: Sql) => ({ table: sql`sourcing.rfqs rfq`, id: sql`id`, state: sql`state` })

/** The filters and the beginning of the page. */
const matchesListing = (
  sql: Sql,
  { id, state: column, hasDrafts }: View,
  { state, partId, excludeDrafts, excludeExpired, now, after }: RfqListing,
) =>
  and(
    sql,
    state !== undefined && sql`${column} = ${state}`,
    partId !== undefined && sql`part_id = ${partId}`,
    excludeDrafts && hasDrafts && sql`state <> 'DRAFT'`,
    excludeExpired && sql`not expired and expires_at > ${now}`,
    sql`${id} < ${after ?? NEWEST_ID}`,
  )

/** The newest `count` rows of a view. */
const newestIn = (sql: Sql, view: View, columns: Fragment, listing: RfqListing, count: number) => sql`
  select ${columns} from ${view.table}
  where ${view.isIn} and ${matchesListing(sql, view, listing)}
  order by ${view.id} desc limit ${count}`

/** All rows of a view with a text in their title or as a serial number, by indexes. */
const indexedIn = (sql: Sql, view: View, { q, ...listing }: RfqSearch) => {
  const ids = (isWanted: Fragment) => sql`
    select ${view.id} as id from ${view.table} where ${isWanted} and ${matchesListing(sql, view, listing)}`
  return sql`
    ${ids(sql`${view.isInIndex} and ${view.title} ilike ${contains(q)}`)}
    union ${ids(sql`${view.isIn} and ${view.id} = ${rfqOfSerial(sql, q)}`)}
    union ${ids(sql`${view.isIn} and part_id = ${partOfSerial(sql, q)}`)}`
}

/** The RFQ, and the part, that has the text as its serial number. */
const rfqOfSerial = (sql: Sql, q: string) => sql`(select id from sourcing.rfqs where serial_number = upper(${q}))`
const partOfSerial = (sql: Sql, q: string) =>
  sql`(select part_id from sourcing.rfqs where part_serial_number = upper(${q}) limit 1)`

/** The rows of the wanted views. An RFQ of several views may have a row in each. */
const inEvery = (sql: Sql, orgId: string, view: RfqView | undefined, rowsIn: (one: View) => Fragment): Fragment =>
  (view ? [view] : RFQ_VIEWS)
    .map((name): Fragment => sql`(${rowsIn(viewOf[name](sql, orgId))})`)
    .reduce((all, rows) => sql`${all} union all ${rows}`)

/** The page of the ids that were found; documents are fetched last. */
const pageOf = (sql: Sql, orgId: string, { view, limit, offset }: RfqListing, found: Fragment) => sql<RecordRow[]>`
  select page.id as position, seen.document, ${pictureFor(sql, orgId)} as "pinnedPicture"
  from (select distinct id from (${found}) found order by id desc limit ${limit} offset ${offset}) page
  cross join lateral ${view === 'MANUFACTURER' ? seenInvitation(sql, orgId, sql`page.id`) : seenRfq(sql, orgId, sql`page.id`)} seen
  order by page.id desc`

/** Newest first. Without a view: of each view as many as all pages up to the wanted one have. */
export function listRfqs(sql: Sql, orgId: string, listing: RfqListing) {
  const { view, limit, offset } = listing
  if (!view) {
    const ids = inEvery(sql, orgId, view, (one) => newestIn(sql, one, sql`${one.id} as id`, listing, limit + offset))
    return pageOf(sql, orgId, listing, ids)
  }
  const rowsOf = viewOf[view](sql, orgId)
  return sql<RecordRow[]>`
    select id as position, document, ${pictureFor(sql, orgId)} as "pinnedPicture"
    from (${newestIn(sql, rowsOf, sql`${rowsOf.id} as id, ${rowsOf.columns}`, listing, limit)} offset ${offset}) seen
    order by id desc`
}

/**
 * Matches among the next `count` RFQs, which are the newest ones of the wanted views together: those of one view alone
 * may end at an older RFQ than those of another, whose matches in between would be missing.
 */
export const scanRfqs = (sql: Sql, orgId: string, { q, ...listing }: RfqSearch, count: number) => {
  const next = inEvery(sql, orgId, listing.view, (view) =>
    newestIn(sql, view, sql`${view.id} as id, part_id, ${view.title} as title`, listing, count),
  )
  const matches = sql`
    select id from (select id, part_id, title from (${next}) every order by id desc limit ${count}) next
    where title ilike ${contains(q)} or id = ${rfqOfSerial(sql, q)} or part_id = ${partOfSerial(sql, q)}`
  return pageOf(sql, orgId, listing, matches)
}

/** Matches among all RFQs of the wanted views. */
export const searchIndex = (sql: Sql, orgId: string, search: RfqSearch) =>
  pageOf(
    sql,
    orgId,
    search,
    inEvery(sql, orgId, search.view, (view) => indexedIn(sql, view, search)),
  )
