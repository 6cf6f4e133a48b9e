import type { Order } from '../../proto/http/sourcing/orders.ts'
import type { OrderState } from '../../proto/states/orders.ts'
import type { ShipmentState } from '../../proto/states/shipments.ts'
import type { Pool } from '../kit/db/client.ts'
import { newIdAt, newSerialNumber } from '../kit/db/ids.ts'
import { insertAssignment } from './assignments.ts'
import type { ApiClient } from './client.ts'
import { createFactory } from './factories.ts'
import type { TestMarketplace } from './marketplace.ts'
import { collectionOf } from './people.ts'
import { publishedPart } from './rfqs.ts'

/** The requests about orders of one client. */
export const ordersOf = (client: ApiClient) => ({
  ...collectionOf<Order>(client, '/flows/v1/orders', '/v1/orders'),
  history: (id: string, query = '') =>
    client.get<{ items: { kind: string; changes: { field: string; before?: unknown; after?: unknown }[] }[] }>(
      `/v1/orders/${id}/history${query}`,
    ),
})

/** The columns of a new order that tests choose. */
interface OrderRow {
  consumerOrgId: string
  ipOwnerOrgId: string
  manufacturerOrgId: string
  sellerOrgId: string
  distributorOrgId?: string | null
  partId: string
  factoryId: string
  state?: OrderState
  heldState?: OrderState | null
  /** Whether the IP owner has released the files of the group `ip`. */
  filesReleased?: boolean
}

const SHIPMENT_STATES: Partial<Record<OrderState, ShipmentState>> = {
  SHIPPED: 'SHIPPED',
  DELIVERED: 'ARRIVED',
  COMPLETED: 'RECEIVED',
}

/** Inserts a shipment of ten pieces of an order, which are then shipped; of a RECEIVED one some may be rejected. */
export async function insertShipment(owner: Pool, orderId: string, state: ShipmentState, rejected = 0) {
  const [accepted, refused] = state === 'RECEIVED' ? [10 - rejected, rejected] : [0, 0]
  await owner`
    update sourcing.orders set shipped_quantity = shipped_quantity + 10,
      accepted_quantity = accepted_quantity + ${accepted}, rejected_quantity = rejected_quantity + ${refused}
    where id = ${orderId}`
  return insertShipmentOnly(owner, orderId, state, rejected)
}

/** Inserts a shipment that the sums of its order do not count. */
export async function insertShipmentOnly(
  owner: Pool,
  orderId: string,
  state: ShipmentState,
  rejected = 0,
): Promise<string> {
  const now = new Date().toISOString()
  const id = newIdAt('shipment', now)
  const isReceived = state === 'RECEIVED'
  const accepted = 10 - rejected
  await owner`
    insert into sourcing.shipments (id, order_id, consumer_org_id, state, quantity, shipped_at, arrived_at, received_at,
      accepted_quantity, rejected_quantity, created_at)
    select ${id}, id, consumer_org_id, ${state}, 10, ${now}, ${state === 'SHIPPED' ? null : now},
      ${isReceived ? now : null}, ${isReceived ? accepted : null}, ${isReceived ? rejected : null}, ${now}
    from sourcing.orders where id = ${orderId}`
  return id
}

/**
 * Inserts an order under the owner's role, without an award: ten pieces of 95.50 EUR, tooling and shipping. It pins the
 * current revision of its part, unless the schema is older than pinned revisions and shipments.
 */
export async function insertOrder(owner: Pool, row: OrderRow, { pins = true } = {}): Promise<string> {
  const now = new Date().toISOString()
  const id = newIdAt('order', now)
  if (pins) await owner`select sourcing.pin_part(${row.partId}, ${now})`
  const shipment = SHIPMENT_STATES[row.state ?? 'PLACED']
  const revision = owner`(select revision from sourcing.parts where id = ${row.partId})`
  await owner`
    insert into sourcing.orders (id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id,
      ip_owner_org_id, manufacturer_org_id, seller_org_id, distributor_org_id, state, held_state, quantity, unit_price,
      tooling_cost, shipping_cost, total, currency, due_date, files_released_at, created_at, updated_at
      ${pins ? owner`, part_revision, shipped_quantity, accepted_quantity` : owner``})
    values (${id}, ${newSerialNumber('O')}, ${newIdAt('rfq', now)}, ${newIdAt('offer', now)}, ${row.partId},
      ${row.factoryId}, ${row.consumerOrgId}, ${row.ipOwnerOrgId}, ${row.manufacturerOrgId}, ${row.sellerOrgId},
      ${row.distributorOrgId ?? null}, ${row.state ?? 'PLACED'}, ${row.heldState ?? null}, 10, 95.5, 1200, 49.9, 2204.9,
      'EUR', '2031-05-29', ${row.filesReleased ? now : null}, ${now}, ${now} ${pins ? owner`, ${revision}, ${shipment ? 10 : 0}, ${shipment === 'RECEIVED' ? 10 : 0}` : owner``})`
  if (pins && shipment) await insertShipmentOnly(owner, id, shipment)
  return id
}

/** Inserts an order and its assignment. */
export async function insertAssignedOrder(owner: Pool, row: OrderRow, options = { pins: true }): Promise<string> {
  const id = await insertOrder(owner, row, options)
  await insertAssignment(owner, id)
  return id
}

/** The organizations of orders, a stranger with every role, and a part and a factory that only parties can read. */
export async function orderParties(market: TestMarketplace) {
  const [ipOwner, maker, seller, distributor, stranger] = await Promise.all([
    market.organization(['IP_OWNER']),
    market.organization(['MANUFACTURER']),
    market.organization(['SELLER']),
    market.organization(['DISTRIBUTOR']),
    market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR']),
  ])
  const consumer = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
  const partId = await publishedPart(ipOwner.administrator.client, { internal: true })
  const { id: factoryId } = await createFactory(maker.administrator.client, { internal: true, capabilities: [] })
  const parties = {
    consumerOrgId: consumer.orgId,
    ipOwnerOrgId: ipOwner.orgId,
    manufacturerOrgId: maker.orgId,
    sellerOrgId: seller.orgId,
    distributorOrgId: distributor.orgId,
    partId,
    factoryId,
  }
  const place = (more: Partial<OrderRow> = {}) => insertAssignedOrder(market.db.owner, { ...parties, ...more })
  return { consumer, ipOwner, maker, seller, distributor, stranger, partId, factoryId, parties, place }
}
