import { newId } from '../../kit/db/ids.ts'
import type { Account, Fixtures, Kind } from '../fixtures.ts'
import { insertSubscriptions } from '../subscriptions.ts'
import { insertOrganization } from './rfqs.ts'

/** A subscription of a consumer that is no account to a part of the account's organization. */
const subscriptionIn = (state: 'REQUESTED' | 'ACTIVE') => ({
  owners: ['owner', 'otherOwner'] satisfies Kind[],
  async make(fixtures: Fixtures, { orgId }: Account) {
    const consumerOrgId = await insertOrganization(fixtures, 'CONSUMER')
    const [id] = await insertSubscriptions(fixtures.market, { ipOwnerOrgId: orgId, consumerOrgId, state })
    return id
  },
  random: () => newId('subscription'),
})

export const SUBSCRIPTION_RECORDS = {
  requestedSubscription: subscriptionIn('REQUESTED'),
  activeSubscription: subscriptionIn('ACTIVE'),
}
