import { type FieldError, problem } from '../../../proto/errors.ts'
import {
  MAX_REPETITIONS,
  MAX_SUBSCRIPTIONS,
  REPETITION_DAYS,
  type SubscriptionInput,
} from '../../../proto/http/sourcing/subscriptions.ts'
import type { Permission } from '../../../proto/permissions.ts'
import type { Guards } from '../../../proto/states/state-table.ts'
import type { SUBSCRIPTION } from '../../../proto/states/subscriptions.ts'

/** What an organization is to a subscription. */
export type Side = 'CONSUMER' | 'IP_OWNER'

export const PERMISSION_OF = { CONSUMER: 'rfq:create', IP_OWNER: 'part:publish' } as const satisfies Record<
  Side,
  Permission
>

/** An IP owner names the consumer. */
export const sideOf = ({ consumerOrgId }: SubscriptionInput): Side =>
  consumerOrgId === undefined ? 'CONSUMER' : 'IP_OWNER'

/** Problems of a new subscription that its schema cannot express. */
export function inputProblems({ partId, ipOwnerOrgId, consumerOrgId }: SubscriptionInput): FieldError[] {
  const refused = (other: string) => [problem('ipOwnerOrgId', `must not be sent with ${other}`)]
  if (ipOwnerOrgId !== undefined && consumerOrgId !== undefined) return refused('consumerOrgId')
  if (ipOwnerOrgId !== undefined && partId !== undefined) return refused('partId')
  return partId === undefined && ipOwnerOrgId === undefined && consumerOrgId === undefined
    ? [problem('partId', 'is required, or ipOwnerOrgId, or consumerOrgId')]
    : []
}

/** The live subscriptions that an organization has made, and how often it has recently made the same one. */
export interface Counts {
  live: number
  repeated: number
}

export const hasRoom = ({ live, repeated }: Counts): boolean => live < MAX_SUBSCRIPTIONS && repeated < MAX_REPETITIONS

export const TOO_MANY = `An organization has at most ${MAX_SUBSCRIPTIONS} live subscriptions that it requested or granted, and requests or grants the same one at most ${MAX_REPETITIONS} times in ${REPETITION_DAYS} days.`

/** The guards of the state table. */
export const GUARDS = {
  expiresInFuture: ({ expireTime, now }: { expireTime?: string | undefined; now: string }) =>
    expireTime === undefined || expireTime > now ? [] : [problem('expireTime', 'must be in the future')],
} satisfies Guards<typeof SUBSCRIPTION.verbs, 'accept', never>
