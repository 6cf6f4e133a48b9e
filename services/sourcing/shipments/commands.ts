import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type * as api from '../../../proto/http/sourcing/shipments.ts'
import { MAX_SHIPMENTS, type Shipment } from '../../../proto/http/sourcing/shipments.ts'
import { utcOf } from '../../../proto/http/times.ts'
import { ORDER, type OrderState } from '../../../proto/states/orders.ts'
import { SHIPMENT } from '../../../proto/states/shipments.ts'
import type { Actor } from '../../../proto/states/state-table.ts'
import { requirePermission } from '../../kit/auth/access.ts'
import type { CommandOf, FieldsOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { totalWith } from '../money/money.ts'
import { EVENT_NAMES, type OrderEventName } from '../orders/events.ts'
import { announceOrder, type OrderDeps } from '../orders/followers.ts'
import { findMissingKinds, lockOrder } from '../orders/queries.ts'
import * as queries from './queries.ts'
import * as rules from './rules.ts'

interface LockedOrder {
  /** The acting organization. */
  orgId: string
  order: Order
  heldState: OrderState | null
}

/** An order of which the organization is one of the actors, locked; otherwise 404. */
async function lock(tx: Tx, orgId: string, id: string, by: readonly Actor[]): Promise<LockedOrder> {
  const { document, held_state: heldState } = found(await lockOrder(tx, { orgId, id, by }))
  return { orgId, order: JSON.parse(document), heldState }
}

/** Throws 409 for a verb that the state or a guard does not allow. `quantity`: pieces of the request. */
const requireLegal = (tx: Tx, verb: rules.ShipmentVerb, order: Order, quantity = 0): Promise<void> =>
  requireGuards(ORDER, verb, order.state, {
    guards: rules.GUARDS,
    async facts() {
      const needsDocuments = ORDER.guards(verb).includes('documentsAreReady')
      const kinds = needsDocuments ? await findMissingKinds(tx, order.id) : []
      const needsReceipts = ORDER.guards(verb).includes('shipmentsAreReceived')
      const [{ unreceived }] = needsReceipts ? await queries.countOnTheWay(tx, order.id) : [{ unreceived: 0 }]
      return { order, quantity, missingKinds: kinds.map(({ kind }) => kind), unreceived }
    },
  })

type Change = Partial<Omit<queries.Fulfilment, 'heldState'>>

/** Stores the sums and the state of a locked order, with its event and what follows from it. */
async function change(
  tx: Tx,
  deps: OrderDeps,
  { orgId, order, heldState }: LockedOrder,
  event: OrderEventName,
  { state = order.state, ...sums }: Change,
  now: string,
): Promise<JsonText> {
  const fulfilment = { ...rules.sumsOf(order), ...sums, state, heldState: state === order.state ? heldState : null }
  const [{ document }] = await queries.updateFulfilment(tx, { orgId, id: order.id }, fulfilment, now)
  await announceOrder(tx, deps, event, JSON.parse(document))
  // Where no change can be agreed, the proposed ones end without an event.
  if (!ORDER.isLegal('change', state)) await deps.followers.endChanges(tx, order.id, now)
  return new JsonText(document)
}

interface NewShipment {
  quantity: number
  carrier?: string | undefined
  trackingNumber?: string | undefined
  shippedTime: string
}

/** Ships pieces of a locked order; with the last one it is SHIPPED. */
async function ship(tx: Tx, deps: OrderDeps, locked: LockedOrder, shipment: NewShipment, now: string) {
  const { order } = locked
  const { quantity, carrier, trackingNumber, shippedTime } = shipment
  const isLast = quantity === rules.piecesLeft(order)
  const [{ count }] = await queries.countShipments(tx, order.id)
  if (count >= MAX_SHIPMENTS && !isLast) throw refuse('limit_reached', { detail: rules.TOO_MANY_SHIPMENTS })
  const { id: orderId, consumerOrgId } = order
  const carriage = { carrier: carrier ?? null, trackingNumber: trackingNumber ?? null }
  const created = { id: newIdAt('shipment', now), orderId, consumerOrgId, quantity, shippedTime, ...carriage }
  const [row] = await queries.insertShipment(tx, created, now)
  const shipped = {
    shippedQuantity: (order.shippedQuantity ?? 0) + quantity,
    carrier,
    trackingNumber,
    ...(isLast && { state: ORDER.stateAfter('shipLast', order.state) }),
  }
  const changed = await change(tx, deps, locked, isLast ? 'shipped' : 'shipmentCreated', shipped, now)
  return { id: created.id, shipment: new JsonText(row.document), order: changed }
}

/** Ships some pieces of an order. */
export async function createShipment(
  deps: OrderDeps,
  { tx, caller: { orgId }, params, body, now, audit }: CommandOf<typeof api.createShipment>,
): Promise<JsonText> {
  const locked = await lock(tx, orgId, params.id, ORDER.verbs.addShipment.by)
  const shippedTime = body.shippedTime === undefined ? now : utcOf(body.shippedTime)
  const { documentIds = [] } = body
  const named = documentIds.length === 0 ? [] : await queries.findDocuments(tx, params.id, documentIds)
  requireValid([
    ...rules.timeProblems(shippedTime, locked.order, now),
    ...rules.unknownDocuments(documentIds, new Set(named.map((document) => document.id))),
  ])
  await requireLegal(tx, 'addShipment', locked.order, body.quantity)
  const { id, shipment } = await ship(tx, deps, locked, { ...body, shippedTime }, now)
  if (documentIds.length > 0) await queries.addToDocuments(tx, params.id, id, documentIds)
  audit.add({ shipmentId: id })
  return shipment
}

/** Ships all pieces that are left. */
export async function shipOrder(
  deps: OrderDeps,
  { tx, caller: { orgId }, params, body, now, audit }: CommandOf<typeof api.shipOrder>,
): Promise<JsonText> {
  const locked = await lock(tx, orgId, params.id, ORDER.verbs.ship.by)
  await requireLegal(tx, 'ship', locked.order)
  const { carrier, trackingNumber }: FieldsOf<typeof body> = body ?? {}
  const quantity = rules.piecesLeft(locked.order)
  const shipped = await ship(tx, deps, locked, { quantity, carrier, trackingNumber, shippedTime: now }, now)
  audit.add({ shipmentId: shipped.id })
  return shipped.order
}

/** Receives a shipment; of two concurrent calls one gets 409. Rejected pieces open a QUALITY case. */
export async function receiveShipment(
  deps: OrderDeps,
  { tx, caller, params, body, now }: CommandOf<typeof api.receiveShipment>,
): Promise<JsonText> {
  const locked = await lock(tx, caller.orgId, params.id, SHIPMENT.verbs.receive.by)
  const { order } = locked
  const shipment: Shipment = JSON.parse(found(await queries.findShipment(tx, order.id, params.shipmentId)).document)
  const { acceptedQuantity, rejectedQuantity, reason } = body
  requireValid(rules.receiptProblems(shipment.quantity, acceptedQuantity, rejectedQuantity))
  requireTransition(SHIPMENT, 'receive', shipment.state)

  const receipt = { id: shipment.id, acceptedQuantity, rejectedQuantity, reason: reason ?? null }
  const [row] = await queries.receiveShipment(tx, receipt, now)
  const [{ shipped }] = await queries.countOnTheWay(tx, order.id)
  const hasArrived = order.state === 'SHIPPED' && shipped === 0
  const received = {
    acceptedQuantity: (order.acceptedQuantity ?? 0) + acceptedQuantity,
    rejectedQuantity: (order.rejectedQuantity ?? 0) + rejectedQuantity,
    ...(hasArrived && { state: ORDER.stateAfter('arrive', order.state) }),
  }
  await change(tx, deps, locked, hasArrived ? 'delivered' : 'shipmentReceived', received, now)
  if (rejectedQuantity > 0) {
    await deps.followers.openQualityCase(tx, order, { ...receipt, quantity: shipment.quantity, by: caller.userId }, now)
  }
  return new JsonText(row.document)
}

/** Records that everything has arrived; by the consumer, that it accepts everything. */
export async function deliverOrder(
  deps: OrderDeps,
  { tx, caller, params, now }: CommandOf<typeof api.deliverOrder>,
): Promise<JsonText> {
  const locked = await lock(tx, caller.orgId, params.id, ORDER.verbs.deliver.by)
  const { recorded, needed } = rules.deliveryBy(locked.order, caller)
  requirePermission(caller, [needed])
  await requireLegal(tx, 'deliver', locked.order)
  const state = ORDER.stateAfter('deliver', locked.order.state)
  if (recorded === 'ARRIVAL') {
    await queries.arriveShipments(tx, params.id, now)
    return change(tx, deps, locked, EVENT_NAMES.deliver, { state }, now)
  }
  return change(tx, deps, locked, EVENT_NAMES.deliver, { state, ...(await acceptRest(tx, locked.order, now)) }, now)
}

/** Accepts the shipments that were not received. */
async function acceptRest(tx: Tx, order: Order, now: string): Promise<Pick<queries.Fulfilment, 'acceptedQuantity'>> {
  const received = await queries.receiveAll(tx, order.id, now)
  const accepted = received.reduce((sum, { quantity }) => sum + quantity, 0)
  return { acceptedQuantity: (order.acceptedQuantity ?? 0) + accepted }
}

/** Completes an order; with `settle` only the accepted pieces are paid. */
export async function completeOrder(
  deps: OrderDeps,
  { tx, caller: { orgId }, params, body, now }: CommandOf<typeof api.completeOrder>,
): Promise<JsonText> {
  const locked = await lock(tx, orgId, params.id, ORDER.verbs.complete.by)
  const { order } = locked
  const { unitPrice, acceptedQuantity = 0 } = order
  const { settle = false }: FieldsOf<typeof body> = body ?? {}
  const verb = settle ? 'settle' : 'complete'
  await requireLegal(tx, verb, order)
  const ended = {
    state: ORDER.stateAfter(verb, order.state),
    proposedRemakeQuantity: null,
    ...(settle
      ? { settledTotal: totalWith(order, unitPrice.amount, acceptedQuantity) }
      : await acceptRest(tx, order, now)),
  }
  return change(tx, deps, locked, EVENT_NAMES[verb], ended, now)
}

/** Proposes to make rejected pieces again. */
export async function remakeOrder(
  deps: OrderDeps,
  { tx, caller: { orgId }, params, body, now }: CommandOf<typeof api.remakeOrder>,
): Promise<JsonText> {
  const locked = await lock(tx, orgId, params.id, ORDER.verbs.remake.by)
  await requireLegal(tx, 'remake', locked.order, body.quantity)
  return change(tx, deps, locked, EVENT_NAMES.remake, { proposedRemakeQuantity: body.quantity }, now)
}

/** Accepts the proposed remake, whose pieces are then to be shipped. */
export async function acceptRemake(
  deps: OrderDeps,
  { tx, caller: { orgId }, params, now }: CommandOf<typeof api.acceptOrderRemake>,
): Promise<JsonText> {
  const locked = await lock(tx, orgId, params.id, ORDER.verbs.acceptRemake.by)
  const { order } = locked
  await requireLegal(tx, 'acceptRemake', order)
  const accepted = {
    state: ORDER.stateAfter('acceptRemake', order.state),
    remadeQuantity: (order.remadeQuantity ?? 0) + (order.proposedRemakeQuantity ?? 0),
    proposedRemakeQuantity: null,
  }
  return change(tx, deps, locked, EVENT_NAMES.acceptRemake, accepted, now)
}

export async function declineRemake(
  deps: OrderDeps,
  { tx, caller: { orgId }, params, now }: CommandOf<typeof api.declineOrderRemake>,
): Promise<JsonText> {
  const locked = await lock(tx, orgId, params.id, ORDER.verbs.declineRemake.by)
  await requireLegal(tx, 'declineRemake', locked.order)
  return change(tx, deps, locked, EVENT_NAMES.declineRemake, { proposedRemakeQuantity: null }, now)
}
