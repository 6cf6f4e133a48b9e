import { ORDER } from '../../../../../proto/states/orders.ts'
import type { Order, Permission } from '../api.ts'
import { can, is, permits } from '../me.ts'

export type Side = 'CONSUMER' | 'MANUFACTURER'

/** The permission with which each side proposes and decides changes. */
const PERMISSION_OF: Readonly<Record<Side, Permission>> = { CONSUMER: 'rfq:award', MANUFACTURER: 'order:confirm' }

/** The side of the caller's organization in an order; undefined for the others of the order. */
export const sideOf = (order: Order): Side | undefined =>
  is('consumer', order) ? 'CONSUMER' : is('manufacturer', order) ? 'MANUFACTURER' : undefined

/** Whether the caller proposes and decides changes of an order. */
export function mayChange(order: Order): boolean {
  const side = sideOf(order)
  return side !== undefined && permits('POST /flows/v1/orders/{id}/change-requests') && can(PERMISSION_OF[side])
}

/** What the caller records with `deliver`: the receipt of everything, or the arrival. */
export function deliveryOf(order: Order): 'RECEIPT' | 'ARRIVAL' | undefined {
  if (!ORDER.isLegal('deliver', order.state) || !permits('POST /flows/v1/orders/{id}/deliver')) return undefined
  if (is('consumer', order) && can('order:receive')) return 'RECEIPT'
  return (is('manufacturer', order) || is('seller', order)) && can('order:update') ? 'ARRIVAL' : undefined
}
