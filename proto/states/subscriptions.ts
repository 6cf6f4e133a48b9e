import { StateTable } from './state-table.ts'

export const SUBSCRIPTION_STATES = ['REQUESTED', 'ACTIVE', 'DECLINED', 'ENDED'] as const
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number]

/**
 * A consumer requests a subscription; one that the IP owner grants is ACTIVE at once. `delete` ends it for both.
 * `expire`: its expiry has passed, or its part was deleted. `expiresInFuture`: its expiry has not passed.
 */
export const SUBSCRIPTION = new StateTable({
  record: 'subscription',
  states: SUBSCRIPTION_STATES,
  initial: 'REQUESTED',
  verbs: {
    accept: { from: ['REQUESTED'], to: 'ACTIVE', by: ['ipOwner'], guards: ['expiresInFuture'] },
    decline: { from: ['REQUESTED'], to: 'DECLINED', by: ['ipOwner'] },
    delete: { from: ['REQUESTED', 'ACTIVE'], to: 'ENDED', by: ['consumer', 'ipOwner'] },
    expire: { from: ['REQUESTED', 'ACTIVE'], to: 'ENDED', by: ['marketplace'] },
  },
})
