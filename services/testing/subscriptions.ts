import type { Subscription } from '../../proto/http/sourcing/subscriptions.ts'
import { newId } from '../kit/db/ids.ts'
import type { ApiClient } from './client.ts'
import type { TestMarketplace } from './marketplace.ts'
import { collectionOf } from './people.ts'
import { rfqsOf } from './rfqs.ts'

/** The requests about subscriptions of one client. */
export const subscriptionsOf = (client: ApiClient) => collectionOf<Subscription>(client, '/flows/v1/subscriptions')

/** A consumer, two IP owners, a manufacturer and a stranger with every role. */
export async function subscriptionParties(market: TestMarketplace) {
  const [consumer, ipOwner, otherOwner, maker, stranger] = await Promise.all([
    market.organization(['CONSUMER']),
    market.organization(['IP_OWNER', 'CONSUMER']),
    market.organization(['IP_OWNER']),
    market.organization(['MANUFACTURER']),
    market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR']),
  ])
  const requests = {
    buying: subscriptionsOf(consumer.administrator.client),
    owning: subscriptionsOf(ipOwner.administrator.client),
    rfqs: rfqsOf(consumer.administrator.client),
  }
  return { consumer, ipOwner, otherOwner, maker, stranger, ...requests }
}

interface ToInsert {
  ipOwnerOrgId: string
  consumerOrgId: string
  /** Default: the IP owner. */
  createdByOrgId?: string
  partId?: string
  state?: Subscription['state']
}

/** Inserts subscriptions, to different parts where no part is named, and returns their ids. */
export async function insertSubscriptions(
  { db }: Pick<TestMarketplace, 'db'>,
  { ipOwnerOrgId, consumerOrgId, createdByOrgId = ipOwnerOrgId, partId, state = 'ACTIVE' }: ToInsert,
  count = 1,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('subscription'))
  await db.owner`
    insert into sourcing.subscriptions (
      id, ip_owner_org_id, consumer_org_id, part_id, state, created_by_org_id, created_at, updated_at)
    select id, ${ipOwnerOrgId}, ${consumerOrgId}, coalesce(${partId ?? null}, 'part_' || id), ${state}, ${createdByOrgId},
      now(), now()
    from unnest(${ids}::text[]) id`
  return ids
}
