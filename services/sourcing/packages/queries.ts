import type { RfqPackageLine } from '../../../proto/http/sourcing/rfq-packages.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { Fragment, Sql, Tx } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { isManufacturer } from '../offers/visibility.ts'
import { isConsumer, isInvited } from '../rfqs/visibility.ts'

export interface PackageRow {
  id: string
  title: string
  consumerOrgId: string
  currency: Rfq['currency']
  createdTime: string
  updatedTime: string
}

const columns = (sql: Sql) => sql`id, title, consumer_org_id as "consumerOrgId", currency,
  sourcing.api_time(created_at) as "createdTime", sourcing.api_time(updated_at) as "updatedTime"`

/** A package of the organization. */
export const findOwnPackage = (sql: Sql, orgId: string, id: string) => sql<PackageRow[]>`
  select ${columns(sql)} from sourcing.rfq_packages where id = ${id} and ${isConsumer(sql, orgId)}`

/** A package with a published line to which the organization is invited. */
export const findInvitedPackage = (sql: Sql, orgId: string, id: string) => sql<PackageRow[]>`
  select ${columns(sql)} from sourcing.rfq_packages where id = ${id} and exists (
    select from sourcing.rfq_invitations where package_id = ${id} and ${isInvited(sql, orgId)})`

/** A package of the organization, locked before its RFQs. It is shared by all but the commands that change it. */
export const lockPackage = (tx: Tx, orgId: string, id: string, { changes }: { changes: boolean }) => tx<PackageRow[]>`
  select ${columns(tx)} from sourcing.rfq_packages
  where id = ${id} and ${isConsumer(tx, orgId)} ${changes ? tx`for update` : tx`for share`}`

/** The RFQs of a package, locked in the order of their ids, in which every command locks several RFQs. */
export const lockLines = (tx: Tx, orgId: string, id: string) => tx<{ document: string; place: number }[]>`
  select consumer_document as document, package_place as place from sourcing.rfqs
  where package_id = ${id} and ${isConsumer(tx, orgId)} order by id for update`

/** The lines for the consumer. */
export const listOwnLines = (sql: Sql, orgId: string, id: string) => sql<RfqPackageLine[]>`
  select id as "rfqId", serial_number as "serialNumber", state, part_id as "partId", part_title as "partTitle",
    coalesce(terms -> 'quantities', '[]') as quantities, manufacturer_ids as "manufacturerIds",
    sourcing.api_time(expires_at) as "expireTime", sealed, version
  from sourcing.rfqs where package_id = ${id} and ${isConsumer(sql, orgId)} order by package_place`

/** The lines to which a manufacturer is invited, as it reads their RFQs. */
export const listInvitedLines = (sql: Sql, orgId: string, id: string) => sql<RfqPackageLine[]>`
  select rfq_id as "rfqId", rfq ->> 'serialNumber' as "serialNumber", rfq ->> 'state' as state, part_id as "partId",
    part_title as "partTitle", coalesce(rfq -> 'quantities', '[]') as quantities, array[org_id] as "manufacturerIds",
    rfq ->> 'expireTime' as "expireTime", (rfq ->> 'sealed')::boolean as sealed, (rfq ->> 'version')::integer as version,
    state as "invitationState", nullif(awaits_acceptance, false) as "awaitsAcceptance"
  from sourcing.rfq_invitations
  cross join lateral (select document::json as rfq) readable
  where package_id = ${id} and ${isInvited(sql, orgId)}
  order by (select package_place from sourcing.rfqs where id = rfq_id)`

interface NewPackage {
  id: string
  consumerOrgId: string
  title: string
  currency: string
  createdBy: string
}

export const insertPackage = (tx: Tx, { id, consumerOrgId, title, currency, createdBy }: NewPackage, now: string) => tx`
  insert into sourcing.rfq_packages (id, consumer_org_id, title, currency, created_by, created_at, updated_at)
  values (${id}, ${consumerOrgId}, ${title}, ${currency}, ${createdBy}, ${now}, ${now})`

export const updateTitle = (tx: Tx, orgId: string, id: string, title: string, now: string) => tx`
  update sourcing.rfq_packages set title = ${title}, updated_at = ${now} where id = ${id} and ${isConsumer(tx, orgId)}`

export const deletePackage = (tx: Tx, orgId: string, id: string) => tx`
  delete from sourcing.rfq_packages where id = ${id} and ${isConsumer(tx, orgId)}`

/** The JSON of a package in a list, on rows `p` of packages. The lines have the columns `rfq_id` and `state`. */
const listedDocument = (sql: Sql, lines: Fragment) => sql`
  cross join lateral (
    select coalesce(sum(count), 0) as count, coalesce(string_agg(concat(to_json(state), ':', count), ','), '') as states
    from (select state, count(*) as count from (${lines}) line group by state) counted
  ) line
  cross join lateral (select concat(
    '{"id":', to_json(p.id), ',"title":', to_json(p.title), ',"consumerOrgId":', to_json(p.consumer_org_id),
    ',"currency":', to_json(p.currency), ',"lineCount":', line.count, ',"lineStates":{', line.states, '}',
    ',"createdTime":', to_json(sourcing.api_time(p.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(p.updated_at)), '}') as document) listed`

/** Newest first. */
export const listOwnPackages = (sql: Sql, orgId: string, { after, limit, offset }: PageWindow) => sql<DocumentRow[]>`
  select p.id as position, listed.document
  from (
    select id, title, consumer_org_id, currency, created_at, updated_at from sourcing.rfq_packages
    where ${isConsumer(sql, orgId)} and id < ${after ?? NEWEST_ID}
    order by id desc limit ${limit} offset ${offset}
  ) p
  ${listedDocument(sql, sql`select id, state from sourcing.rfqs where package_id = p.id`)}
  order by p.id desc`

/** Newest first. */
export const listInvitedPackages = (sql: Sql, orgId: string, { after, limit, offset }: PageWindow) => sql<
  DocumentRow[]
>`
  select p.id as position, listed.document
  from (
    select distinct package_id from sourcing.rfq_invitations
    where ${isInvited(sql, orgId)} and package_id is not null and package_id < ${after ?? NEWEST_ID}
    order by package_id desc limit ${limit} offset ${offset}
  ) read
  join sourcing.rfq_packages p on p.id = read.package_id
  ${listedDocument(
    sql,
    sql`select rfq_id, rfq_state as state from sourcing.rfq_invitations where package_id = p.id and ${isInvited(sql, orgId)}`,
  )}
  order by p.id desc`

/** The RFQs of a package to which a manufacturer is invited, in the order of their ids. */
export const listInvitedIds = (sql: Sql, orgId: string, id: string) => sql<{ id: string }[]>`
  select rfq_id as id from sourcing.rfq_invitations where package_id = ${id} and ${isInvited(sql, orgId)} order by rfq_id`

/** The offers of a manufacturer for its lines, newest first. */
export const listOwnOffers = (sql: Sql, orgId: string, id: string, { after, limit, offset }: PageWindow) => sql<
  DocumentRow[]
>`
  select id as position, document from sourcing.offers
  where ${isManufacturer(sql, orgId)} and id < ${after ?? NEWEST_ID} and rfq_id = any(array(
    select rfq_id from sourcing.rfq_invitations where package_id = ${id} and ${isInvited(sql, orgId)}))
  order by id desc limit ${limit} offset ${offset}`

/** The newest draft of a manufacturer for an RFQ; without one its newest valid submitted offer. */
export const findCurrentOffer = (tx: Tx, orgId: string, rfqId: string, now: string) => tx<
  { id: string; state: 'DRAFT' | 'SUBMITTED' }[]
>`
  select id, state from sourcing.offers
  where ${isManufacturer(tx, orgId)} and rfq_id = ${rfqId}
    and (state = 'DRAFT' or state = 'SUBMITTED' and valid_until > ${now})
  order by state = 'DRAFT' desc, id desc limit 1`
