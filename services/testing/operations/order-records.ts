import type { OrderState } from '../../../proto/states/orders.ts'
import { newId } from '../../kit/db/ids.ts'
import type { Account, Fixtures, Kind } from '../fixtures.ts'
import {
  boughtOrder,
  madeOrder,
  orderWithRemake,
  ownedOrder,
  proposedChange,
  rejectedOrder,
  sentShipment,
} from './orders.ts'

const MANUFACTURERS = ['manufacturer', 'otherOwner'] satisfies Kind[]
const RFQ_CONSUMERS = ['owner', 'otherOwner', 'consumer'] satisfies Kind[]
const IP_OWNERS = ['owner', 'otherOwner'] satisfies Kind[]

/** A private record of orders. */
const record = (
  owners: readonly Kind[],
  prefix: string,
  make: (fixtures: Fixtures, account: Account) => Promise<string>,
) => ({
  owners,
  make,
  random: () => newId(prefix),
})

/** An order of which the account's organization is the manufacturer. */
const made = (state: OrderState) =>
  record(MANUFACTURERS, 'order', (fixtures, account) => madeOrder(fixtures, account, state))

const bought = (state: OrderState) =>
  record(RFQ_CONSUMERS, 'order', (fixtures, account) => boughtOrder(fixtures, account, state))

export const ORDER_RECORDS = {
  boughtOrder: bought('PLACED'),
  deliveredOrder: bought('DELIVERED'),
  ownedOrder: record(IP_OWNERS, 'order', ownedOrder),
  placedOrder: made('PLACED'),
  confirmedOrder: made('CONFIRMED'),
  startedOrder: made('IN_PRODUCTION'),
  inspectedOrder: made('INSPECTION'),
  shippedOrder: made('SHIPPED'),
  heldOrder: made('ON_HOLD'),
  rejectedOrder: record(MANUFACTURERS, 'order', rejectedOrder),
  orderWithRemake: record(RFQ_CONSUMERS, 'order', orderWithRemake),
  changeRequest: record(
    RFQ_CONSUMERS,
    'change',
    async (fixtures, account) => (await proposedChange(fixtures, account, 'MANUFACTURER')).changeRequestId,
  ),
  shipment: record(
    RFQ_CONSUMERS,
    'shipment',
    async (fixtures, account) => (await sentShipment(fixtures, account)).shipmentId,
  ),
}
