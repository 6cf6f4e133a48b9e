import type * as api from '../../../proto/http/sourcing/change-requests.ts'
import {
  type ChangeRequest,
  MAX_CHANGE_REQUESTS,
  SIDES,
  type Side,
} from '../../../proto/http/sourcing/change-requests.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { CHANGE_REQUEST } from '../../../proto/states/change-requests.ts'
import { requirePermission } from '../../kit/auth/access.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, notFound, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { compare } from '../money/money.ts'
import { announceOrder, type OrderDeps } from '../orders/followers.ts'
import { lockAnyOrder, lockRfqOf } from '../orders/queries.ts'
import { changeOrder, feeLimitOf, isFeeWithinLimit, type LockedOrder } from './order-changes.ts'
import * as queries from './queries.ts'
import * as rules from './rules.ts'

/** An order of which the caller's organization is a side, locked; otherwise 404. */
async function lockOrderOf(tx: Tx, orgId: string, id: string, { mayEnd = false } = {}): Promise<LockedOrder> {
  found(await queries.findOrder(tx, orgId, id))
  if (mayEnd) await lockRfqOf(tx, id)
  const { document, held_state: heldState } = found(await lockAnyOrder(tx, id))
  return { order: JSON.parse(document), heldState }
}

/** The side of the order for which the caller has the permission; 403 for none. */
function sideOf(caller: Caller, order: Order): Side {
  const sides = SIDES.filter((each) => orgOf(order, each) === caller.orgId)
  const side = sides.find((each) => caller.permissions.has(rules.PERMISSION_OF[each])) ?? (sides[0] as Side)
  requirePermission(caller, [rules.PERMISSION_OF[side]])
  return side
}

const otherSide = (side: Side): Side => (side === 'CONSUMER' ? 'MANUFACTURER' : 'CONSUMER')

const orgOf = (order: Order, side: Side) => (side === 'CONSUMER' ? order.consumerOrgId : order.manufacturerOrgId)

/** Proposes to change an order. */
export async function createChangeRequest(
  deps: OrderDeps,
  { tx, caller, params, body, now, audit }: CommandOf<typeof api.createChangeRequest>,
): Promise<JsonText> {
  const { order } = await lockOrderOf(tx, caller.orgId, params.id)
  const side = sideOf(caller, order)
  requireValid(rules.valueProblems(body, order, compare))
  await requireAcceptable('PROPOSED', body, order, now)
  const [count] = await queries.countChangeRequests(tx, order.id, side)
  if (count.isProposed) throw refuse('conflict', { detail: rules.ALREADY_PROPOSED })
  if (count.all >= MAX_CHANGE_REQUESTS) throw refuse('limit_reached', { detail: rules.TOO_MANY })
  const created = {
    id: newIdAt('change', now),
    orderId: order.id,
    side,
    orgId: caller.orgId,
    deciderOrgId: orgOf(order, otherSide(side)),
    quantity: body.quantity ?? null,
    dueDate: body.dueDate ?? null,
    unitPrice: body.unitPrice?.amount ?? null,
    cancel: body.cancel ?? null,
    fee: body.fee?.amount ?? null,
    currency: order.unitPrice.currency,
    previous: rules.previousOf(body, order),
    reason: body.reason,
  }
  const [{ document }] = await queries.insertChangeRequest(tx, created, now)
  audit.add({ changeRequestId: created.id })
  await announceOrder(tx, deps, 'changeProposed', order)
  return new JsonText(document)
}

/** Throws 409 for a change that the order does not allow, when it is proposed and when it is accepted. */
const requireAcceptable = (
  state: ChangeRequest['state'],
  change: Pick<ChangeRequest, 'quantity' | 'dueDate' | 'fee'>,
  order: Order,
  now: string,
): Promise<void> =>
  requireGuards(CHANGE_REQUEST, 'accept', state, {
    guards: rules.GUARDS,
    facts: () => ({
      change,
      order,
      isFeeWithinLimit: isFeeWithinLimit(order, change.fee),
      feeLimit: feeLimitOf(order),
      now,
    }),
    detail: 'The order does not allow this change.',
  })

/** A change request of an order that is locked. The proposer withdraws it, and the other side decides. */
async function lockRequest(
  tx: Tx,
  { caller, params }: Pick<CommandOf<typeof api.acceptChangeRequest>, 'caller' | 'params'>,
  verb: 'accept' | 'decline' | 'withdraw',
) {
  const locked = await lockOrderOf(tx, caller.orgId, params.id, { mayEnd: verb === 'accept' })
  const row = found(await queries.findChangeRequest(tx, params.id, params.changeRequestId))
  if ((verb === 'withdraw' ? row.org_id : row.decider_org_id) !== caller.orgId) throw notFound()
  const request: ChangeRequest = JSON.parse(row.document)
  // An organization may be both sides. It decides as the side that did not propose.
  const side = verb === 'withdraw' ? request.proposedBy : otherSide(request.proposedBy)
  requirePermission(caller, [rules.PERMISSION_OF[side]])
  return { ...locked, request }
}

/** Accepts a change request, and changes the order; of two concurrent decisions one gets 409. */
export async function acceptChangeRequest(
  deps: OrderDeps,
  call: CommandOf<typeof api.acceptChangeRequest>,
): Promise<JsonText> {
  const { tx, now } = call
  const { request, ...locked } = await lockRequest(tx, call, 'accept')
  await requireAcceptable(request.state, request, locked.order, now)
  const { to } = CHANGE_REQUEST.verbs.accept
  const [{ document }] = await queries.decideChangeRequest(tx, { id: request.id, to }, now)
  await changeOrder(tx, deps, locked, request, now)
  return new JsonText(document)
}

export const declineChangeRequest = (deps: OrderDeps, call: CommandOf<typeof api.declineChangeRequest>) =>
  endChangeRequest('decline', deps, call, call.body?.reason)

export const withdrawChangeRequest = (deps: OrderDeps, call: CommandOf<typeof api.withdrawChangeRequest>) =>
  endChangeRequest('withdraw', deps, call)

const ENDINGS = { decline: 'changeDeclined', withdraw: 'changeWithdrawn' } as const

async function endChangeRequest(
  verb: keyof typeof ENDINGS,
  deps: OrderDeps,
  call: CommandOf<typeof api.declineChangeRequest | typeof api.withdrawChangeRequest>,
  reason?: string,
): Promise<JsonText> {
  const { tx, now } = call
  const { request, order } = await lockRequest(tx, call, verb)
  requireTransition(CHANGE_REQUEST, verb, request.state)
  const { to } = CHANGE_REQUEST.verbs[verb]
  const [{ document }] = await queries.decideChangeRequest(tx, { id: request.id, to, reason }, now)
  await announceOrder(tx, deps, ENDINGS[verb], order)
  return new JsonText(document)
}
