import type { OrderView } from '../../../proto/http/sourcing/orders.ts'
import type { Actor } from '../../../proto/states/state-table.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { pinnedPicture } from '../renderings/pictures.ts'

/* Conditions on rows of `sourcing.orders`. */

/** The id of an organization, or a column that has it. */
export type OrgRef = string | Fragment

/** The organization has the role of a view. */
export const inView = (sql: Sql, orgId: OrgRef, view: OrderView) => {
  if (view === 'CONSUMER') return sql`consumer_org_id = ${orgId}`
  if (view === 'IP_OWNER') return sql`ip_owner_org_id = ${orgId}`
  if (view === 'MANUFACTURER') return sql`manufacturer_org_id = ${orgId}`
  return view === 'SELLER' ? sql`seller_org_id = ${orgId}` : sql`distributor_org_id = ${orgId}`
}

/** Whether an organization may read an order, its history, its part and its factory: the order names it. */
export const isParty = (sql: Sql, orgId: string) => sql`(
  ${inView(sql, orgId, 'CONSUMER')} or ${inView(sql, orgId, 'IP_OWNER')} or ${inView(sql, orgId, 'MANUFACTURER')}
  or ${inView(sql, orgId, 'SELLER')} or ${inView(sql, orgId, 'DISTRIBUTOR')})`

/**
 * The JSON of an order for one of its organizations. The fee of the seller is for consumer, manufacturer and seller.
 */
export const documentFor = (sql: Sql, orgId: string) => sql`case
  when fee_document is not null and ${orgId} in (consumer_org_id, manufacturer_org_id, seller_org_id) then fee_document
  else document end`

/** Whether the organization has one of the roles that may use a verb. */
export const isActor = (sql: Sql, orgId: string, by: readonly Actor[]) => sql`(
  (${by.includes('manufacturer')} and ${inView(sql, orgId, 'MANUFACTURER')})
  or (${by.includes('seller')} and ${inView(sql, orgId, 'SELLER')})
  or (${by.includes('consumer')} and ${inView(sql, orgId, 'CONSUMER')})
  or (${by.includes('ipOwner')} and ${inView(sql, orgId, 'IP_OWNER')})
  or (${by.includes('party')} and ${isParty(sql, orgId)}))`

/**
 * Whether the organization is a party to an order of the record in the column. Each role is a look-up in its index;
 * `exists` could be planned as a hash of all orders of the organization.
 */
const isPartyTo = (sql: Sql, orgId: OrgRef, isOfRecord: Fragment) => sql`(
  (select true from sourcing.orders where ${inView(sql, orgId, 'CONSUMER')} and ${isOfRecord} limit 1)
  or (select true from sourcing.orders where ${inView(sql, orgId, 'IP_OWNER')} and ${isOfRecord} limit 1)
  or (select true from sourcing.orders where ${inView(sql, orgId, 'MANUFACTURER')} and ${isOfRecord} limit 1)
  or (select true from sourcing.orders where ${inView(sql, orgId, 'SELLER')} and ${isOfRecord} limit 1)
  or (select true from sourcing.orders where ${inView(sql, orgId, 'DISTRIBUTOR')} and ${isOfRecord} limit 1)
) is true`

/** For rows of `sourcing.parts`. */
export const isPartyToPart = (sql: Sql, orgId: OrgRef) => isPartyTo(sql, orgId, sql`part_id = parts.id`)

/** For rows `factory` of `sourcing.factories`. */
export const isPartyToFactory = (sql: Sql, orgId: string) => isPartyTo(sql, orgId, sql`factory_id = factory.id`)

/**
 * Whether the manufacturer reads the part's files of the group `ip`: they are released for the order, which is live.
 * The text matches the predicate of the partial index.
 */
export const showsIpFiles = (sql: Sql) => sql`
  files_released_at is not null and state in ('CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'ON_HOLD')`

/** Whether the part must be kept for the order. The text matches the predicate of the partial index. */
export const isUnfinished = (sql: Sql) => sql`state not in ('COMPLETED', 'DECLINED', 'CANCELLED')`

/** The picture that an organization of an order sees of its part, on rows of `sourcing.orders`. */
export const pictureFor = (sql: Sql, orgId: string) =>
  pinnedPicture(sql, orgId, { partId: sql`orders.part_id`, revision: sql`orders.part_revision`, isReader: sql`true` })
