import type { FiltersOf } from '../../../proto/http/operation.ts'
import type * as api from '../../../proto/http/sourcing/sales-agreements.ts'
import { MAX_SELLERS, REPETITION_DAYS, type RfqSeller } from '../../../proto/http/sourcing/sales-agreements.ts'
import { SALES_AGREEMENT, type SalesAgreementState } from '../../../proto/states/sales-agreements.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import { lockByName } from '../../kit/db/locks.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'

type Listing = PageWindow & FiltersOf<typeof api.listSalesAgreements>

const isParty = (sql: Sql, orgId: string) => sql`(manufacturer_org_id = ${orgId} or seller_org_id = ${orgId})`

/** Newest first: of each role of the organization as many as all pages up to the wanted one have. */
export function listAgreements(sql: Sql, orgId: string, { state, after = NEWEST_ID, limit, offset }: Listing) {
  const isListed = and(sql, state !== undefined && sql`state = ${state}`, sql`id < ${after}`)
  const rows = limit + offset
  return sql<DocumentRow[]>`
    select position, document from (
      (select id as position, document from sourcing.sales_agreements
      where manufacturer_org_id = ${orgId} and ${isListed} order by id desc limit ${rows})
      union all
      (select id, document from sourcing.sales_agreements
      where seller_org_id = ${orgId} and ${isListed} order by id desc limit ${rows})
    ) own
    order by position desc limit ${limit} offset ${offset}`
}

/** No row where the organization is no party to it. */
export const findAgreement = (sql: Sql, orgId: string, id: string) => sql<{ document: string }[]>`
  select document from sourcing.sales_agreements where id = ${id} and ${isParty(sql, orgId)}`

export const lockAgreement = (tx: Tx, orgId: string, id: string) => tx<{ document: string }[]>`
  select document from sourcing.sales_agreements where id = ${id} and ${isParty(tx, orgId)} for update`

/** Whether the organizations have the roles of an agreement. */
export const findRoles = (sql: Sql, manufacturerOrgId: string, sellerOrgId: string) => sql<
  [{ manufactures: boolean; sells: boolean }]
>`
  select
    coalesce((select 'MANUFACTURER' = any(roles) from organization.org_directory where org_id = ${manufacturerOrgId}), false)
      as manufactures,
    coalesce((select 'SELLER' = any(roles) from organization.org_directory where org_id = ${sellerOrgId}), false) as sells`

/** Serializes the proposals of an organization, until the transaction ends. */
export const lockProposals = (tx: Tx, orgId: string) => lockByName(tx, 'sales agreements', orgId)

interface Pair {
  manufacturerOrgId: string
  sellerOrgId: string
}

export const countProposed = (tx: Tx, orgId: string, { manufacturerOrgId, sellerOrgId }: Pair, now: string) => tx<
  [{ live: number; repeated: number }]
>`
  select
    (select count(*)::integer from sourcing.sales_agreements
      where proposed_by_org_id = ${orgId} and state in ('PROPOSED', 'ACTIVE')) as live,
    (select count(*)::integer from sourcing.sales_agreements
      where manufacturer_org_id = ${manufacturerOrgId} and seller_org_id = ${sellerOrgId} and proposed_by_org_id = ${orgId}
        and created_at > ${now}::timestamptz - make_interval(days => ${REPETITION_DAYS})) as repeated`

interface NewAgreement extends Pair {
  id: string
  feePercent: string
  proposedByOrgId: string
}

/** No row where the organizations have a live agreement. */
export const insertAgreement = (tx: Tx, created: NewAgreement, now: string) => tx<{ document: string }[]>`
  insert into sourcing.sales_agreements (
    id, manufacturer_org_id, seller_org_id, fee_percent, state, proposed_by_org_id, created_at, updated_at)
  values (${created.id}, ${created.manufacturerOrgId}, ${created.sellerOrgId}, ${created.feePercent},
    ${SALES_AGREEMENT.initial}, ${created.proposedByOrgId}, ${now}, ${now})
  on conflict (manufacturer_org_id, seller_org_id) where state in ('PROPOSED', 'ACTIVE') do nothing
  returning document`

/** The agreement is locked. */
export const moveState = (tx: Tx, id: string, to: SalesAgreementState, now: string) => tx<[{ document: string }]>`
  update sourcing.sales_agreements set state = ${to}, updated_at = ${now} where id = ${id} returning document`

interface Fee {
  manufacturerOrgId: string
  feePercent: string
}

/** The fees of a seller for what manufacturers make: its active agreements, as long as it sells. */
export const findFees = (sql: Sql, sellerOrgId: string, manufacturerOrgIds: readonly string[]) => sql<Fee[]>`
  select manufacturer_org_id as "manufacturerOrgId", fee_percent as "feePercent" from sourcing.sales_agreements
  where seller_org_id = ${sellerOrgId} and manufacturer_org_id = any(${[...manufacturerOrgIds]}) and state = 'ACTIVE'
    and exists (select from organization.org_directory where org_id = ${sellerOrgId} and 'SELLER' = any(roles))`

/** The fees of an award. The agreements cannot end until the transaction ends. */
export const lockFees = (tx: Tx, sellerOrgId: string, manufacturerOrgIds: readonly string[]) =>
  tx<Fee[]>`${findFees(tx, sellerOrgId, manufacturerOrgIds)} for share`

/** The sellers of what the manufacturers with offers for an RFQ make, by name. */
export const listSellers = (sql: Sql, rfqId: string) => sql<RfqSeller[]>`
  select seller.org_id as "sellerOrgId", seller.name, agreements
  from (
    select seller_org_id, json_agg(json_build_object(
      'manufacturerOrgId', manufacturer_org_id, 'feePercent', fee_percent::text) order by manufacturer_org_id) as agreements
    from sourcing.sales_agreements
    where state = 'ACTIVE' and manufacturer_org_id = any(array(
      select distinct manufacturer_org_id from sourcing.offers
      where rfq_id = ${rfqId} and state in ('SUBMITTED', 'ACCEPTED')))
    group by seller_org_id
  ) selling
  join organization.org_directory seller on seller.org_id = seller_org_id and 'SELLER' = any(seller.roles)
  order by seller.name, seller.org_id limit ${MAX_SELLERS}`
