import { describe, expect, test } from 'bun:test'
import { SUBSCRIPTION_STATES, type SubscriptionState } from '../../../proto/states/subscriptions.ts'
import { after, SUBSCRIPTION_VERBS } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { insertSubscriptions, subscriptionParties, subscriptionsOf } from '../../testing/subscriptions.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, otherOwner, stranger } = await subscriptionParties(market)

const CALLERS = { consumer, ipOwner, otherOwner, stranger }
type CallerName = keyof typeof CALLERS
const CALLER_NAMES = Object.keys(CALLERS) as CallerName[]
const requestsOf = (caller: CallerName) => subscriptionsOf(CALLERS[caller].administrator.client)

async function subscriptionIn(state: SubscriptionState): Promise<string> {
  const [id = ''] = await insertSubscriptions(market, {
    ...{ ipOwnerOrgId: ipOwner.orgId, consumerOrgId: consumer.orgId, state },
  })
  return id
}

describe.each(Object.keys(SUBSCRIPTION_VERBS) as (keyof typeof SUBSCRIPTION_VERBS)[])('%s', (verb) => {
  test.each(CALLER_NAMES)('in every state by %s has the result of the contract', async (caller) => {
    const mayUse = (SUBSCRIPTION_VERBS[verb].by as readonly string[]).includes(caller)
    const expected = SUBSCRIPTION_STATES.map((state) => {
      const next = after(SUBSCRIPTION_VERBS[verb], state)
      if (!mayUse || next === undefined) return `${state}: ${mayUse ? 409 : 404} ${state}`
      return `${state}: ${verb === 'delete' ? 204 : 200} ${next}`
    })
    const tried = SUBSCRIPTION_STATES.map(async (state) => {
      const id = await subscriptionIn(state)
      const by = requestsOf(caller)
      const { status } = await (verb === 'delete' ? by.remove(id) : by.act(id, verb))
      return `${state}: ${status} ${(await requestsOf('consumer').read(id)).body.state}`
    })
    expect(await Promise.all(tried)).toEqual(expected)
  })
})
