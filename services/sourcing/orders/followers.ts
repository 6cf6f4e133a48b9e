import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Tx } from '../../kit/db/client.ts'
import { emitOrderEvent, type OrderEventName } from './events.ts'

/** Pieces that the consumer rejected. */
export interface Rejection {
  /** The pieces of the shipment. */
  quantity: number
  rejectedQuantity: number
  reason: string | null
  /** The user who received the shipment. */
  by: string
}

/** What happens in other features in the transaction of a change of orders. `service.ts` provides it. */
export interface OrderFollowers {
  /** Opens the assignments of orders that an award placed. */
  openAssignments(tx: Tx, orders: readonly Order[]): Promise<void>
  /** Updates the assignments of an order, whose row is locked. */
  updateAssignments(tx: Tx, order: Order, event: `sourcing.order.${OrderEventName}`): Promise<void>
  /** Withdraws the change requests of an order that has ended or is SHIPPED. Its row is locked. */
  endChanges(tx: Tx, orderId: string, now: string): Promise<unknown>
  /** Follows the decline or the cancellation of an order, whose row is locked. */
  returnAward(tx: Tx, order: Order, now: string): Promise<void>
  openQualityCase(tx: Tx, order: Order, rejection: Rejection, now: string): Promise<void>
}

export interface OrderDeps {
  followers: OrderFollowers
}

/** Announces a change of an order, whose row is locked, and updates its assignments. */
export async function announceOrder(
  tx: Tx,
  { followers }: OrderDeps,
  name: OrderEventName,
  order: Order,
): Promise<void> {
  await emitOrderEvent(tx, name, order)
  await followers.updateAssignments(tx, order, `sourcing.order.${name}`)
}
