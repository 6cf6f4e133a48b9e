import type { Sql } from '../../kit/db/client.ts'
import * as offers from '../offers/visibility.ts'
import { isConsumer, isIpOwner } from '../rfqs/visibility.ts'
import type { PricedOffer } from './compare.ts'

/** The JSON of an RFQ for its consumer or IP owner; no row for other organizations. */
export const findComparedRfq = (sql: Sql, orgId: string, id: string) => sql<{ document: string }[]>`
  select document from sourcing.rfqs where id = ${id} and (${isConsumer(sql, orgId)} or (${isIpOwner(sql, orgId)}))`

/** Upper bound: 100 invitees, each with at most 20 live offers. */
const MAX_OFFERS = 2000

/**
 * The offers of an RFQ that can be awarded or were, and that the organization may read. Prices that it may not see do
 * not leave the database.
 */
export const findComparedOffers = (sql: Sql, orgId: string, rfqId: string, now: string) => sql<PricedOffer[]>`
  select offers.id, manufacturer_org_id as "manufacturerOrgId", org.name as "manufacturerName",
    factory_id as "factoryId", state, revision, outdated and state = 'SUBMITTED' as "isOutdated", valid_until as "validUntil",
    case when ${offers.maySeePrices(sql, orgId)} then price_breaks end as "priceBreaks",
    case when ${offers.maySeePrices(sql, orgId)} then tooling_cost end as "toolingCost",
    case when ${offers.maySeePrices(sql, orgId)} then shipping_cost end as "shippingCost"
  from sourcing.offers
  join organization.org_directory org on org.org_id = manufacturer_org_id
  where rfq_id = ${rfqId} and ((${offers.isConsumer(sql, orgId)}) or (${offers.isIpOwner(sql, orgId)}))
    and (state = 'ACCEPTED' or (state = 'SUBMITTED' and valid_until > ${now}))
  order by offers.id desc limit ${MAX_OFFERS}`

/**
 * The notes of compared offers, which are read apart because they are long. Those that the organization may not see do
 * not leave the database.
 */
export const findNotes = (sql: Sql, orgId: string, ids: readonly string[]) => sql<{ id: string; notes: string }[]>`
  select id, notes from sourcing.offers
  where id = any(${[...ids]}) and notes is not null and ${offers.maySeePrices(sql, orgId)}
    and ((${offers.isConsumer(sql, orgId)}) or (${offers.isIpOwner(sql, orgId)}))`
