import type { ChangeRequest } from '../../../proto/http/sourcing/change-requests.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { ORDER, type OrderState } from '../../../proto/states/orders.ts'
import type { Tx } from '../../kit/db/client.ts'
import { sellerFeeOf, totalOf } from '../money/money.ts'
import { emitOrderEvent, type OrderEventName } from '../orders/events.ts'
import type { OrderDeps } from '../orders/followers.ts'
import { countOnTheWay } from '../shipments/queries.ts'
import { endChangeRequests, updateOrder } from './queries.ts'
import { withoutUnshipped } from './rules.ts'

/** An order that is locked. */
export interface LockedOrder {
  order: Order
  heldState: OrderState | null
  /** The percentage of the seller, which is fixed at the award; null without fee. */
  feePercent: string | null
}

type AcceptedChange = Pick<ChangeRequest, 'quantity' | 'dueDate' | 'unitPrice' | 'cancel' | 'fee' | 'reason'>

/** Changes a locked order by an accepted request, and withdraws the request of the other side. */
export async function changeOrder(
  tx: Tx,
  { followers }: OrderDeps,
  { order, heldState, feePercent }: LockedOrder,
  change: AcceptedChange,
  now: string,
): Promise<void> {
  const { shippedQuantity = 0, toolingCost, shippingCost } = order
  const isCancelled = change.cancel === true && shippedQuantity === 0
  const quantities =
    change.cancel && !isCancelled
      ? withoutUnshipped(order)
      : { quantity: change.quantity ?? order.quantity, remadeQuantity: order.remadeQuantity ?? 0 }
  const isShipped = shippedQuantity > 0 && quantities.quantity + quantities.remadeQuantity === shippedQuantity
  const hasArrived = isShipped && (await countOnTheWay(tx, order.id))[0].shipped === 0
  const state = stateAfter(order.state, { isCancelled, isShipped, hasArrived })
  const unitPrice = change.unitPrice?.amount ?? order.unitPrice.amount
  const costs = { toolingCost: toolingCost?.amount, shippingCost: shippingCost?.amount }
  const changed = {
    state,
    heldState: state === order.state ? heldState : null,
    ...quantities,
    proposedRemakeQuantity: change.cancel ? null : (order.proposedRemakeQuantity ?? null),
    dueDate: change.dueDate ?? order.dueDate,
    unitPrice,
    total: totalOf({ unitPrice, quantity: quantities.quantity, ...costs }),
    cancellationFee: change.fee?.amount ?? null,
    sellerFee:
      feePercent === null
        ? null
        : sellerFeeOf({ unitPrice, quantity: quantities.quantity }, feePercent, order.unitPrice.currency),
    hasArrived,
    reason: isCancelled ? change.reason : null,
  }
  const [{ document }] = await updateOrder(tx, order.id, changed, now)
  await endChangeRequests(tx, order.id, now)
  const after: Order = JSON.parse(document)
  const event = EVENTS[state] ?? 'changed'
  const name = state === order.state ? 'changed' : event
  await emitOrderEvent(tx, name, after)
  await followers.updateAssignments(tx, after, `sourcing.order.${name}`)
  if (isCancelled) await followers.returnAward(tx, after, now)
}

const EVENTS: Partial<Record<OrderState, OrderEventName>> = {
  CANCELLED: 'cancelled',
  SHIPPED: 'shipped',
  DELIVERED: 'delivered',
}

interface Outcome {
  isCancelled: boolean
  isShipped: boolean
  hasArrived: boolean
}

function stateAfter(state: OrderState, { isCancelled, isShipped, hasArrived }: Outcome): OrderState {
  if (isCancelled) return ORDER.stateAfter('endByChange', state)
  if (!isShipped) return state
  const shipped = ORDER.stateAfter('shipLast', state)
  return hasArrived ? ORDER.stateAfter('arrive', shipped) : shipped
}
