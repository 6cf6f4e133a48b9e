import type * as api from '../../../proto/http/sourcing/subscriptions.ts'
import type { Subscription, SubscriptionInput } from '../../../proto/http/sourcing/subscriptions.ts'
import { utcOf } from '../../../proto/http/times.ts'
import { noSuch } from '../../../proto/messages.ts'
import { SUBSCRIPTION } from '../../../proto/states/subscriptions.ts'
import { requirePermission } from '../../kit/auth/access.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalidField, notFound, refuse } from '../../kit/errors/refusal.ts'
import { both, emitSubscriptionEvents, otherThan } from './events.ts'
import * as queries from './queries.ts'
import { GUARDS, hasRoom, PERMISSION_OF, sideOf, TOO_MANY } from './rules.ts'

/** Requests a subscription as consumer, or grants one as IP owner. */
export async function createSubscription({
  tx,
  caller,
  body,
  now,
  audit,
}: CommandOf<typeof api.createSubscription>): Promise<JsonText> {
  const { orgId } = caller
  const side = sideOf(body)
  requirePermission(caller, [PERMISSION_OF[side]])
  if (side === 'IP_OWNER' && body.partId === undefined && !caller.orgRoles.has('IP_OWNER')) {
    throw refuse('forbidden', { detail: 'Only an IP owner grants a subscription to all of its parts.' })
  }
  const expiresAt = body.expireTime === undefined ? null : utcOf(body.expireTime)
  const kind = await (side === 'CONSUMER' ? requested(tx, orgId, body) : granted(tx, orgId, body))
  if (expiresAt !== null && expiresAt <= now) throw invalidField('expireTime', 'must be in the future')

  await queries.lockMade(tx, orgId)
  if (await isLiveAfterExpiry(tx, kind, now)) throw existing()
  const [counts] = await queries.countMade(tx, orgId, kind, now)
  if (!hasRoom(counts)) throw refuse('limit_reached', { detail: TOO_MANY })
  const state = side === 'CONSUMER' ? SUBSCRIPTION.initial : SUBSCRIPTION.verbs.accept.to
  const created = { id: newIdAt('subscription', now), ...kind, state, createdByOrgId: orgId, expiresAt } as const
  const [row] = await queries.insertSubscription(tx, created, now)
  if (!row) throw existing()
  audit.add({ subscriptionId: created.id })
  const subscription: Subscription = JSON.parse(row.document)
  const name = side === 'CONSUMER' ? 'requested' : 'granted'
  await emitSubscriptionEvents(tx, name, [subscription], otherThan(orgId))
  return new JsonText(row.document)
}

type Kind = Pick<queries.NewSubscription, 'ipOwnerOrgId' | 'consumerOrgId' | 'partId'>

/** What a consumer requests; 400 for a part that it cannot read, like for an unknown one. */
async function requested(tx: Tx, orgId: string, { partId, ipOwnerOrgId = '' }: SubscriptionInput): Promise<Kind> {
  if (partId === undefined) {
    const [owner] = await queries.findPartner(tx, orgId, ipOwnerOrgId, 'IP_OWNER')
    if (!owner) throw invalidField('ipOwnerOrgId', noSuch('IP owner', ipOwnerOrgId))
    return { ipOwnerOrgId, consumerOrgId: orgId, partId: null }
  }
  const [part] = await queries.lockReadablePart(tx, orgId, partId)
  if (!part) throw invalidField('partId', noSuch('part', partId, 'of another organization'))
  return { ipOwnerOrgId: part.ip_owner_org_id, consumerOrgId: orgId, partId }
}

/** What an IP owner grants. */
async function granted(tx: Tx, orgId: string, { partId, consumerOrgId = '' }: SubscriptionInput): Promise<Kind> {
  const [consumer] = await queries.findPartner(tx, orgId, consumerOrgId, 'CONSUMER')
  if (!consumer) throw invalidField('consumerOrgId', noSuch('consumer', consumerOrgId))
  if (partId !== undefined) {
    const [part] = await queries.lockOwnPart(tx, orgId, partId)
    if (!part) throw invalidField('partId', noSuch('part', partId, 'in your organization'))
  }
  return { ipOwnerOrgId: orgId, consumerOrgId, partId: partId ?? null }
}

const existing = () =>
  refuse('conflict', { detail: 'The two organizations have a live subscription of this kind. End it first.' })

/** Whether there is a live subscription of a kind. Ends one whose expiry has passed, which the worker has not seen. */
async function isLiveAfterExpiry(tx: Tx, kind: Kind, now: string): Promise<boolean> {
  const [live] = await queries.lockLive(tx, kind)
  if (!live) return false
  const { id }: Subscription = JSON.parse(live.document)
  const ended = await queries.expireOne(tx, id, now)
  await emitExpired(tx, ended)
  return ended.length === 0
}

/** Accepts a request as its IP owner; of two concurrent calls one gets 409. */
export const acceptSubscription = (call: CommandOf<typeof api.acceptSubscription>) => decide('accept', call, undefined)

/** Declines a request as its IP owner. */
export const declineSubscription = (call: CommandOf<typeof api.declineSubscription>) =>
  decide('decline', call, call.body?.reason)

const DECISIONS = { accept: 'accepted', decline: 'declined' } as const

async function decide(
  verb: keyof typeof DECISIONS,
  { tx, caller, params, now }: CommandOf<typeof api.acceptSubscription | typeof api.declineSubscription>,
  reason: string | undefined,
): Promise<JsonText> {
  const subscription = await lock(tx, caller.orgId, params.id)
  if (subscription.ipOwnerOrgId !== caller.orgId) throw notFound()
  await requireGuards(SUBSCRIPTION, verb, subscription.state, {
    guards: GUARDS,
    facts: () => ({ expireTime: subscription.expireTime, now }),
  })
  const change = { to: SUBSCRIPTION.verbs[verb].to, reason }
  const { document } = found(await queries.moveState(tx, caller.orgId, params.id, change, now))
  await emitSubscriptionEvents(tx, DECISIONS[verb], [subscription], otherThan(caller.orgId))
  return new JsonText(document)
}

/** Ends a subscription, or takes a request back, as one of its two organizations. */
export async function deleteSubscription({
  tx,
  caller,
  params,
  now,
}: CommandOf<typeof api.deleteSubscription>): Promise<undefined> {
  const subscription = await lock(tx, caller.orgId, params.id)
  requirePermission(caller, [PERMISSION_OF[subscription.consumerOrgId === caller.orgId ? 'CONSUMER' : 'IP_OWNER']])
  requireTransition(SUBSCRIPTION, 'delete', subscription.state)
  found(await queries.moveState(tx, caller.orgId, params.id, SUBSCRIPTION.verbs.delete, now))
  await emitSubscriptionEvents(tx, 'ended', [subscription], otherThan(caller.orgId))
  return undefined
}

/** Ends the live subscriptions to a part that its IP owner deletes. */
export async function endSubscriptions(tx: Tx, partId: string, now: string): Promise<void> {
  const ended = await queries.endOfPart(tx, partId, now)
  await emitSubscriptionEvents(tx, 'ended', ended.map(subscriptionOf), ({ consumerOrgId }) => [consumerOrgId])
}

/** Tells both organizations that their subscription has expired. */
export const emitExpired = (tx: Tx, expired: readonly { document: string }[]) =>
  emitSubscriptionEvents(tx, 'expired', expired.map(subscriptionOf), both)

const subscriptionOf = ({ document }: { document: string }): Subscription => JSON.parse(document)

/** A subscription of the organization, locked until the transaction ends. */
async function lock(tx: Tx, orgId: string, id: string): Promise<Subscription> {
  return JSON.parse(found(await queries.lockSubscription(tx, orgId, id)).document)
}
