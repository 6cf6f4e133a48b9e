import type { AssignmentEvent } from '../../../proto/events/events.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newSeparateIdAt } from '../../kit/db/ids.ts'
import { notifyParties } from '../notifications/emit.ts'
import type { OrderEventName } from '../orders/events.ts'
import * as queries from './queries.ts'

type Step = 'assignments.created' | 'assignments.status.updated' | 'assignments.updated'

const eventOf = (
  type: Step,
  { document }: queries.DocumentOnly,
  event: `sourcing.order.${OrderEventName}`,
): AssignmentEvent => {
  const assignment = JSON.parse(document)
  return { type, data: { assignment, cause: { event, id: assignment.orderId } } }
}

/** Opens the assignments of orders that an award placed: two statements, however many orders it has. */
export async function openAssignments(tx: Tx, orders: readonly Order[]): Promise<void> {
  const opened = orders.map(({ id, createdTime }) => ({ id: newSeparateIdAt('assignment', createdTime), orderId: id }))
  const rows = await queries.insertAssignments(tx, opened)
  await notifyParties(
    tx,
    rows.map((row) => eventOf('assignments.created', row, 'sourcing.order.placed')),
  )
}

/** Changes that keep the state of the order. */
const CHANGES: ReadonlySet<`sourcing.order.${OrderEventName}`> = new Set([
  'sourcing.order.milestonesChanged',
  'sourcing.order.filesReleased',
  'sourcing.order.filesChanged',
  'sourcing.order.shipmentCreated',
  'sourcing.order.shipmentReceived',
  'sourcing.order.remakeProposed',
  'sourcing.order.remakeDeclined',
  'sourcing.order.changed',
])

/** What consumer and manufacturer negotiate, and no other organization of the order reads. */
const NEGOTIATIONS: ReadonlySet<`sourcing.order.${OrderEventName}`> = new Set([
  'sourcing.order.changeProposed',
  'sourcing.order.changeDeclined',
  'sourcing.order.changeWithdrawn',
])

/** Follows a change of an order, whose row is locked: a step to another state, or a change that keeps its state. */
export async function updateAssignments(
  tx: Tx,
  { id, state, updatedTime, consumerOrgId, manufacturerOrgId }: Order,
  event: `sourcing.order.${OrderEventName}`,
): Promise<void> {
  if (NEGOTIATIONS.has(event)) {
    const assignments = await queries.findOfOrder(tx, id)
    const toOrgIds = [consumerOrgId, manufacturerOrgId]
    await notifyParties(
      tx,
      assignments.map((row) => ({ ...eventOf('assignments.updated', row, event), toOrgIds })),
    )
    return
  }
  // A step may also lead to the present state: a remake can be accepted in production.
  const moved = CHANGES.has(event) ? [] : await queries.updateStatus(tx, id, state, updatedTime)
  const rows = moved.length > 0 ? moved : await queries.touch(tx, id, updatedTime)
  const type = moved.length > 0 ? 'assignments.status.updated' : 'assignments.updated'
  await notifyParties(
    tx,
    rows.map((row) => eventOf(type, row, event)),
  )
}
