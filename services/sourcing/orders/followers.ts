import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { OrderEventName } from './events.ts'

/** What happens in other features in the transaction of a change of orders. `service.ts` provides it. */
export interface OrderFollowers {
  /** Opens the assignments of orders that an award placed. */
  openAssignments(tx: Tx, orders: readonly Order[]): Promise<void>
  /** Updates the assignments of an order, whose row is locked. */
  updateAssignments(tx: Tx, order: Order, event: `sourcing.order.${OrderEventName}`): Promise<void>
}

export interface OrderDeps {
  followers: OrderFollowers
}
