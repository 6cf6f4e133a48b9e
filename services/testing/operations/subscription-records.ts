import { insertSubscriptions } from '../subscriptions.ts'
import { IP_OWNERS, recordOf } from './record-kind.ts'
import { insertOrganization } from './rfqs.ts'

/** A subscription of a consumer that is no account to a part of the account's organization. */
const subscriptionIn = (state: 'REQUESTED' | 'ACTIVE') =>
  recordOf(IP_OWNERS, 'subscription', async (fixtures, { orgId }) => {
    const consumerOrgId = await insertOrganization(fixtures, 'CONSUMER')
    const [id] = await insertSubscriptions(fixtures.market, { ipOwnerOrgId: orgId, consumerOrgId, state })
    return id
  })

export const SUBSCRIPTION_RECORDS = {
  requestedSubscription: subscriptionIn('REQUESTED'),
  activeSubscription: subscriptionIn('ACTIVE'),
}
