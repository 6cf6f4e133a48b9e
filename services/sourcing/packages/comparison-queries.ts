import type { PackageOffer } from '../../../proto/http/sourcing/rfq-package-comparison.ts'
import type { Sql } from '../../kit/db/client.ts'
import type { PricedOffer } from '../comparison/compare.ts'
import * as offers from '../offers/visibility.ts'

/** Upper bound of the offers that are compared: the newest ones of each manufacturer for each line come first. */
const MAX_OFFERS = 20_000

export type LineOffer = Omit<PricedOffer, 'manufacturerName' | 'factoryId' | 'revision' | 'state'> & {
  rfqId: string
  state: PackageOffer['state']
}

interface Lines {
  rfqIds: readonly string[]
  /** Those of them that are AWARDED. */
  awardedIds: readonly string[]
}

/**
 * The offers of the lines of a package that can be awarded or were, and the rejected ones of awarded lines. Prices that
 * the consumer may not see do not leave the database.
 */
export const findLineOffers = (sql: Sql, orgId: string, { rfqIds, awardedIds }: Lines, now: string) => sql<LineOffer[]>`
  select id, "rfqId", "manufacturerOrgId", state, "isOutdated", "validUntil", "priceBreaks", "toolingCost", "shippingCost"
  from (
    select id, rfq_id as "rfqId", manufacturer_org_id as "manufacturerOrgId", state,
      outdated and state = 'SUBMITTED' as "isOutdated", valid_until as "validUntil",
      case when ${offers.maySeePrices(sql, orgId)} then price_breaks end as "priceBreaks",
      case when ${offers.maySeePrices(sql, orgId)} then tooling_cost end as "toolingCost",
      case when ${offers.maySeePrices(sql, orgId)} then shipping_cost end as "shippingCost",
      row_number() over (partition by rfq_id, manufacturer_org_id order by id desc) as place
    from sourcing.offers
    where rfq_id = any(${[...rfqIds]}) and ${offers.isConsumer(sql, orgId)}
      and (state = 'ACCEPTED' or (state = 'SUBMITTED' and valid_until > ${now})
        or (state = 'REJECTED' and rfq_id = any(${[...awardedIds]})))
  ) offer
  order by place, id desc limit ${MAX_OFFERS}`

export interface InvitedMaker {
  orgId: string
  name: string
  /** Published lines, not cancelled, to which it is invited. */
  askedLines: number
}

/** The manufacturers that are invited to published lines of an own package, by name. */
export const listMakers = (sql: Sql, orgId: string, id: string) => sql<InvitedMaker[]>`
  select org.org_id as "orgId", org.name, asked.lines as "askedLines"
  from (
    select invitation.org_id, count(*)::integer as lines
    from sourcing.rfqs rfq
    join sourcing.rfq_invitations invitation on invitation.rfq_id = rfq.id
    where rfq.package_id = ${id} and rfq.consumer_org_id = ${orgId} and rfq.state <> 'CANCELLED'
    group by invitation.org_id
  ) asked
  join organization.org_directory org on org.org_id = asked.org_id
  order by org.name, org.org_id`
