import type * as api from '../../../proto/http/sourcing/order-lifecycle.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { ORDER } from '../../../proto/states/orders.ts'
import type { CommandOf, FieldsOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { EVENT_NAMES } from './events.ts'
import { announceOrder, type OrderDeps } from './followers.ts'
import { findOrder, lockOrder, lockRfqOf, moveState, replaceMilestones, setFilesReleased } from './queries.ts'
import { GUARDS, heldStateAfter, milestonesOf, type OrderMove } from './rules.ts'

/** Moves an order by a verb of the caller's organization; of two concurrent calls one gets 409. */
export async function moveOrder(
  verb: OrderMove,
  deps: OrderDeps,
  { tx, caller: { orgId }, params, body, now }: CommandOf<(typeof api)[`${OrderMove}Order`]>,
): Promise<JsonText> {
  const { by } = ORDER.verbs[verb]
  const { reason }: FieldsOf<typeof body> = body ?? {}
  const acted = { orgId, id: params.id, by }
  const ends = verb === 'decline' || verb === 'cancel'
  if (ends && (await findOrder(tx, orgId, params.id)).length > 0) await lockRfqOf(tx, params.id)
  const { document, held_state: heldState } = found(await lockOrder(tx, acted))
  const { state }: Order = JSON.parse(document)
  await requireGuards(ORDER, verb, state, {
    guards: GUARDS,
    facts: () => ({ heldState }),
  })
  const to = ORDER.stateAfter(verb, state, heldState)
  const change = { to, heldState: heldStateAfter(state, to, heldState), reason: reason ?? null }
  const moved = found(await moveState(tx, acted, change, now))
  const order: Order = JSON.parse(moved.document)
  await announceOrder(tx, deps, EVENT_NAMES[verb], order)
  if (ends) {
    await deps.followers.endChanges(tx, order.id, now)
    await deps.followers.returnAward(tx, order, now)
  }
  return new JsonText(moved.document)
}

/** Replaces the milestones of an order. A list without a change writes nothing. */
export async function changeMilestones(
  deps: OrderDeps,
  { tx, caller: { orgId }, params, body, ifMatch, now }: CommandOf<typeof api.replaceOrderMilestones>,
): Promise<JsonText> {
  const milestones = milestonesOf(body.milestones)
  const acted = { orgId, id: params.id, by: ORDER.verbs.milestones.by }
  const { document } = found(await lockOrder(tx, acted))
  const order: Order = JSON.parse(document)
  requireMatch(ifMatch, document)
  requireTransition(ORDER, 'milestones', order.state)
  if (Bun.deepEquals(milestones, order.milestones)) return new JsonText(document)
  const { document: changed } = found(await replaceMilestones(tx, acted, milestones, now))
  await announceOrder(tx, deps, EVENT_NAMES.milestones, JSON.parse(changed))
  return new JsonText(changed)
}

/** Releases the part's files of the group `ip` to the manufacturer; of two concurrent calls one gets 409. */
export async function releaseFiles(
  deps: OrderDeps,
  { tx, caller: { orgId }, params, now }: CommandOf<typeof api.releaseOrderFiles>,
): Promise<JsonText> {
  const acted = { orgId, id: params.id, by: ORDER.verbs.releaseFiles.by }
  const order: Order = JSON.parse(found(await lockOrder(tx, acted)).document)
  await requireGuards(ORDER, 'releaseFiles', order.state, { guards: GUARDS, facts: () => order })
  const { document } = found(await setFilesReleased(tx, acted, now))
  await announceOrder(tx, deps, EVENT_NAMES.releaseFiles, JSON.parse(document))
  return new JsonText(document)
}
