import type { OrderState } from '../../../proto/states/orders.ts'
import {
  boughtOrder,
  madeOrder,
  orderWithRemake,
  ownedOrder,
  proposedChange,
  rejectedOrder,
  sentShipment,
} from './orders.ts'
import { CONSUMERS, IP_OWNERS, MANUFACTURERS, recordOf } from './record-kind.ts'

/** An order of which the account's organization is the manufacturer. */
const made = (state: OrderState) =>
  recordOf(MANUFACTURERS, 'order', (fixtures, account) => madeOrder(fixtures, account, state))

const bought = (state: OrderState) =>
  recordOf(CONSUMERS, 'order', (fixtures, account) => boughtOrder(fixtures, account, state))

export const ORDER_RECORDS = {
  boughtOrder: bought('PLACED'),
  deliveredOrder: bought('DELIVERED'),
  ownedOrder: recordOf(IP_OWNERS, 'order', ownedOrder),
  placedOrder: made('PLACED'),
  confirmedOrder: made('CONFIRMED'),
  startedOrder: made('IN_PRODUCTION'),
  inspectedOrder: made('INSPECTION'),
  shippedOrder: made('SHIPPED'),
  heldOrder: made('ON_HOLD'),
  rejectedOrder: recordOf(MANUFACTURERS, 'order', rejectedOrder),
  orderWithRemake: recordOf(CONSUMERS, 'order', orderWithRemake),
  changeRequest: recordOf(
    CONSUMERS,
    'change',
    async (fixtures, account) => (await proposedChange(fixtures, account, 'MANUFACTURER')).changeRequestId,
  ),
  shipment: recordOf(
    CONSUMERS,
    'shipment',
    async (fixtures, account) => (await sentShipment(fixtures, account)).shipmentId,
  ),
}
