import type { OrderState } from '../../../proto/states/orders.ts'
import { SHIPMENT } from '../../../proto/states/shipments.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { documentFor } from '../orders/visibility.ts'

/** Newest first. The caller has found the order. */
export const listShipments = (sql: Sql, orderId: string, { after, limit, offset }: PageWindow) => sql<DocumentRow[]>`
  select id as position, document from sourcing.shipments
  where order_id = ${orderId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

export const countShipments = (tx: Tx, orderId: string) => tx<[{ count: number }]>`
  select count(*)::integer as count from sourcing.shipments where order_id = ${orderId}`

interface NewShipment {
  id: string
  orderId: string
  consumerOrgId: string
  quantity: number
  carrier: string | null
  trackingNumber: string | null
  shippedTime: string
}

/** The order is locked, as for all statements below. */
export const insertShipment = (tx: Tx, shipment: NewShipment, now: string) => tx<[{ document: string }]>`
  insert into sourcing.shipments (
    id, order_id, consumer_org_id, state, quantity, carrier, tracking_number, shipped_at, created_at)
  values (
    ${shipment.id}, ${shipment.orderId}, ${shipment.consumerOrgId}, ${SHIPMENT.initial}, ${shipment.quantity},
    ${shipment.carrier}, ${shipment.trackingNumber}, ${shipment.shippedTime}, ${now})
  returning document`

/** Those of the documents that the order has. They change under the lock of the order. */
export const findDocuments = (tx: Tx, orderId: string, ids: readonly string[]) => tx<{ id: string }[]>`
  select id from sourcing.files
  where record_kind = 'order' and record_id = ${orderId} and id = any(${[...ids]})`

/** Adds a shipment to documents of its order. */
export const addToDocuments = (tx: Tx, orderId: string, shipmentId: string, ids: readonly string[]) => tx`
  update sourcing.files set shipment_ids = array_append(shipment_ids, ${shipmentId})
  where record_kind = 'order' and record_id = ${orderId} and id = any(${[...ids]})`

export const findShipment = (tx: Tx, orderId: string, id: string) => tx<{ document: string }[]>`
  select document from sourcing.shipments where id = ${id} and order_id = ${orderId}`

interface Receipt {
  id: string
  acceptedQuantity: number
  rejectedQuantity: number
  reason: string | null
}

export const receiveShipment = (tx: Tx, receipt: Receipt, now: string) => tx<[{ document: string }]>`
  update sourcing.shipments set state = ${SHIPMENT.verbs.receive.to}, received_at = ${now},
    accepted_quantity = ${receipt.acceptedQuantity}, rejected_quantity = ${receipt.rejectedQuantity},
    reason = ${receipt.reason}
  where id = ${receipt.id}
  returning document`

/** Records the arrival of the shipments that are on their way. */
export const arriveShipments = (tx: Tx, orderId: string, now: string) => tx`
  update sourcing.shipments set state = ${SHIPMENT.verbs.arrive.to}, arrived_at = ${now}
  where order_id = ${orderId} and state = any(${[...SHIPMENT.verbs.arrive.from]})`

/** Receives the shipments that were not received yet as accepted. */
export const receiveAll = (tx: Tx, orderId: string, now: string) => tx<{ quantity: number }[]>`
  update sourcing.shipments set state = ${SHIPMENT.verbs.receiveAll.to}, received_at = ${now},
    accepted_quantity = quantity, rejected_quantity = 0
  where order_id = ${orderId} and state = any(${[...SHIPMENT.verbs.receiveAll.from]})
  returning quantity`

/** How many shipments of an order are on their way, and how many are not received. */
export const countOnTheWay = (tx: Tx, orderId: string) => tx<[{ shipped: number; unreceived: number }]>`
  select count(*) filter (where state = 'SHIPPED')::integer as shipped,
    count(*) filter (where state <> 'RECEIVED')::integer as unreceived
  from sourcing.shipments where order_id = ${orderId}`

/** The sums and the state of an order after a shipment, a receipt, a remake or a settlement. */
export interface Fulfilment {
  state: OrderState
  heldState: OrderState | null
  shippedQuantity: number
  acceptedQuantity: number
  rejectedQuantity: number
  remadeQuantity: number
  proposedRemakeQuantity: number | null
  /** Undefined keeps the present value. */
  carrier?: string | undefined
  trackingNumber?: string | undefined
  settledTotal?: string | undefined
}

/** The reason of the last hold or rework stays only as long as the state. */
export const updateFulfilment = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  fulfilment: Fulfilment,
  now: string,
) => tx<[{ document: string }]>`
  update sourcing.orders set state = ${fulfilment.state}, held_state = ${fulfilment.heldState},
    shipped_quantity = ${fulfilment.shippedQuantity}, accepted_quantity = ${fulfilment.acceptedQuantity},
    rejected_quantity = ${fulfilment.rejectedQuantity}, remade_quantity = ${fulfilment.remadeQuantity},
    remake_proposed_at = case
      when ${fulfilment.proposedRemakeQuantity}::integer is null then null
      when proposed_remake_quantity is null then ${now} else remake_proposed_at end,
    proposed_remake_quantity = ${fulfilment.proposedRemakeQuantity},
    arrived_at = case
      when ${fulfilment.state} in ('DELIVERED', 'COMPLETED') then coalesce(arrived_at, ${now}) end,
    carrier = coalesce(${fulfilment.carrier ?? null}, carrier),
    tracking_number = coalesce(${fulfilment.trackingNumber ?? null}, tracking_number),
    settled_total = coalesce(${fulfilment.settledTotal ?? null}, settled_total),
    reason = case when state = ${fulfilment.state} then reason end, updated_at = ${now}
  where id = ${id}
  returning ${documentFor(tx, orgId)} as document`
