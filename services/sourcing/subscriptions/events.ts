import type { EventName } from '../../../proto/events/events.ts'
import type { Subscription } from '../../../proto/http/sourcing/subscriptions.ts'
import { emitAll } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'

type SubscriptionEvent = Exclude<EventName<'sourcing.subscription'>, 'requirementsCleared'>

type Parties = Pick<Subscription, 'id' | 'ipOwnerOrgId' | 'consumerOrgId' | 'partId'>

/** One event of a subscription for each organization that is told of it. */
export const emitSubscriptionEvents = (
  tx: Tx,
  name: SubscriptionEvent,
  subscriptions: readonly Parties[],
  toldOf: (subscription: Parties) => readonly string[],
) =>
  emitAll(
    tx,
    subscriptions.flatMap((subscription) => {
      const { id, ipOwnerOrgId, consumerOrgId, partId } = subscription
      const data = { subscriptionId: id, ipOwnerOrgId, consumerOrgId, ...(partId === undefined ? {} : { partId }) }
      return toldOf(subscription).map((tenantId) => ({
        type: `sourcing.subscription.${name}` as const,
        tenantId,
        subject: id,
        data,
      }))
    }),
  )

/** The organization that did not cause the event. */
export const otherThan =
  (orgId: string) =>
  ({ ipOwnerOrgId, consumerOrgId }: Parties) => [ipOwnerOrgId === orgId ? consumerOrgId : ipOwnerOrgId]

/** Both, where time caused the event. */
export const both = ({ ipOwnerOrgId, consumerOrgId }: Parties) => [ipOwnerOrgId, consumerOrgId]
