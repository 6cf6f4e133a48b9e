import type { Actor } from '../../../proto/states/state-table.ts'
import type { Sql } from '../../kit/db/client.ts'
import { isInvitedTo, isOwnRfq } from '../parts/visibility.ts'
import { pinnedPicture } from '../renderings/pictures.ts'

/* The readers of an offer, on rows of `sourcing.offers`. The texts match the predicates of the partial indexes. */

export const isManufacturer = (sql: Sql, orgId: string) => sql`manufacturer_org_id = ${orgId}`

export const isConsumer = (sql: Sql, orgId: string) => sql`consumer_org_id = ${orgId} and submitted_at is not null`

/** An IP owner that is invited itself sees the offers of others only after the RFQ has ended. */
export const isIpOwner = (sql: Sql, orgId: string) =>
  sql`ip_owner_org_id = ${orgId} and submitted_at is not null and not hidden_from_ip_owner`

/**
 * Whether a reader of an offer sees its prices and notes. Consumer and IP owner do not while the RFQ is sealed and
 * OPEN, nor those that were taken back before the RFQ first closed. Triggers keep the column `concealed`.
 */
export const maySeePrices = (sql: Sql, orgId: string) => sql`(${isManufacturer(sql, orgId)} or not concealed)`

/** The JSON of an offer for an organization that may read it, without concealed prices. */
export const documentFor = (sql: Sql, orgId: string) =>
  sql`case when ${maySeePrices(sql, orgId)} then document else party_document end`

/** Whether the organization has one of the roles that may use a verb. */
export const isActor = (sql: Sql, orgId: string, by: readonly Actor[]) => sql`(
  (${by.includes('manufacturer')} and ${isManufacturer(sql, orgId)})
  or (${by.includes('consumer')} and ${isConsumer(sql, orgId)}))`

/** The picture that an organization that reads an offer sees of its part, on rows of `sourcing.offers`. */
export const pictureFor = (sql: Sql, orgId: string) =>
  pinnedPicture(sql, orgId, {
    partId: sql`offers.part_id`,
    revision: sql`offers.part_revision`,
    isReader: sql`(
      ${isConsumer(sql, orgId)} and exists (
        select from sourcing.rfqs rfq where rfq.id = offers.rfq_id and ${isOwnRfq(sql, orgId)})
      or ${isInvitedTo(sql, orgId, sql`offers.rfq_id`)})`,
  })
