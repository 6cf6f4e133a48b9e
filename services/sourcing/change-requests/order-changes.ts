import type { ChangeRequest } from '../../../proto/http/sourcing/change-requests.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { ORDER, type OrderState } from '../../../proto/states/orders.ts'
import type { Tx } from '../../kit/db/client.ts'
import { compare, multiply, sum, totalWith } from '../money/money.ts'
import type { OrderEventName } from '../orders/events.ts'
import { announceOrder, type OrderDeps } from '../orders/followers.ts'
import { countOnTheWay } from '../shipments/queries.ts'
import { endChangeRequests, updateOrder } from './queries.ts'
import { withoutUnshipped } from './rules.ts'

/** An order that is locked. */
export interface LockedOrder {
  order: Order
  heldState: OrderState | null
}

type AcceptedChange = Pick<ChangeRequest, 'quantity' | 'dueDate' | 'unitPrice' | 'cancel' | 'fee'>

/** Changes a locked order by an accepted request, and withdraws the request of the other side. */
export async function changeOrder(
  tx: Tx,
  deps: OrderDeps,
  { order, heldState }: LockedOrder,
  change: AcceptedChange,
  now: string,
): Promise<void> {
  const { shippedQuantity = 0 } = order
  const isCancelled = change.cancel === true && shippedQuantity === 0
  const quantities = quantitiesAfter(order, change)
  const isShipped = shippedQuantity > 0 && quantities.quantity + quantities.remadeQuantity === shippedQuantity
  const hasArrived = isShipped && (await countOnTheWay(tx, order.id))[0].shipped === 0
  const state = stateAfter(order.state, { isCancelled, isShipped, hasArrived })
  const unitPrice = change.unitPrice?.amount ?? order.unitPrice.amount
  const changed = {
    state,
    heldState: state === order.state ? heldState : null,
    ...quantities,
    proposedRemakeQuantity: change.cancel ? null : (order.proposedRemakeQuantity ?? null),
    dueDate: change.dueDate ?? order.dueDate,
    unitPrice,
    total: totalWith(order, unitPrice, quantities.quantity),
    cancellationFee: feeAfter(order, change),
    hasArrived,
  }
  const [{ document }] = await updateOrder(tx, order.id, changed, now)
  await endChangeRequests(tx, order.id, now)
  const after: Order = JSON.parse(document)
  const name = (state !== order.state && EVENTS[state]) || 'changed'
  await announceOrder(tx, deps, name, after)
  if (isCancelled) await deps.followers.returnAward(tx, after, now)
}

function quantitiesAfter(order: Order, { cancel, quantity = order.quantity }: AcceptedChange) {
  const isPartial = cancel === true && (order.shippedQuantity ?? 0) > 0
  return isPartial ? withoutUnshipped(order) : { quantity, remadeQuantity: order.remadeQuantity ?? 0 }
}

/** A fee is added to one that was agreed before. */
function feeAfter({ cancellationFee }: Order, { fee }: AcceptedChange): string | null {
  if (!fee) return cancellationFee?.amount ?? null
  return sum(fee.amount, cancellationFee?.amount ?? '0')
}

/** The highest fee of a cancellation: the value of what it cancels. */
export function feeLimitOf(order: Order): string {
  if ((order.shippedQuantity ?? 0) === 0) return order.total.amount
  const { quantity } = withoutUnshipped(order)
  const left = order.quantity - quantity
  return multiply(order.unitPrice.amount, left)
}

/** Whether a fee is at most the value of what is cancelled. */
export const isFeeWithinLimit = (order: Order, fee: { amount: string } | undefined): boolean =>
  !fee || compare(fee.amount, feeLimitOf(order)) <= 0

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
