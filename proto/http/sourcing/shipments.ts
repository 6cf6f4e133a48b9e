import { type Static, Type } from '@sinclair/typebox'
import { ORDER } from '../../states/orders.ts'
import { SHIPMENT, SHIPMENT_STATES } from '../../states/shipments.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Ids, Int32, Line, OneOf, Pieces, Reason } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { EXAMPLE_FILE_ID } from './files.ts'
import { Order, orderId } from './orders.ts'

const shipmentsTag = defineTag(
  'Shipments',
  'What the manufacturer ships, what the consumer receives, and what is made again or settled.',
)

/** Pieces of one order, with those that are made again. */
export const MAX_PIECES = 2_000_000_000
/** Shipments of one order. */
export const MAX_SHIPMENTS = 200
/** Documents that are named with a new shipment. */
const MAX_SHIPMENT_DOCUMENTS = 50

const EXAMPLE_ID = 'shipment_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const carrier = Type.Optional(Line(200, { description: 'Carrier of the shipment.', examples: ['Nordic Freight'] }))
const trackingNumber = Type.Optional(
  Line(200, { description: 'Number of the shipment at its carrier.', examples: ['NF-2207-0042'] }),
)

export const ShipmentInput = closed({
  quantity: Pieces('Number of pieces, at most those that are not shipped.', 6),
  carrier,
  trackingNumber,
  shippedTime: Type.Optional(
    DateTime('When it left the manufacturer: not in the future, and not before the order. Default: now.', {
      examples: ['2026-06-02T14:00:00.000Z'],
    }),
  ),
  documentIds: Type.Optional(
    Ids('a document', EXAMPLE_FILE_ID, {
      maxItems: MAX_SHIPMENT_DOCUMENTS,
      description: 'Documents of the order that belong to the shipment, such as its certificates.',
    }),
  ),
})

export const Shipment = closed(
  {
    id: Type.String({ description: 'Id of the shipment.', examples: [EXAMPLE_ID] }),
    orderId: Type.String({ description: 'Its order.', examples: ['order_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    state: OneOf(SHIPMENT_STATES, { description: 'State of the shipment.', examples: ['RECEIVED'] }),
    quantity: Int32('Number of pieces.', 6),
    carrier,
    trackingNumber,
    shippedTime: DateTime('When it left the manufacturer.'),
    arrivedTime: Type.Optional(DateTime('When its arrival was recorded.')),
    receivedTime: Type.Optional(DateTime('When the consumer recorded its receipt.')),
    acceptedQuantity: Type.Optional(Int32('Pieces that the consumer accepted.', 5)),
    rejectedQuantity: Type.Optional(Int32('Pieces that it rejected, or that were missing.', 1)),
    reason: Type.Optional(
      Type.String({ description: 'Why pieces were rejected.', examples: ['One bore is out of tolerance.'] }),
    ),
    createdTime: DateTime('When the shipment was recorded.'),
  },
  { description: 'A shipment of an order.' },
)
export type Shipment = Static<typeof Shipment>

const path = '/flows/v1/orders/{id}/shipments'

export const listShipments = defineOperation({
  ...listOf(Shipment),
  id: 'listShipments',
  path,
  tag: shipmentsTag,
  summary: "List an order's shipments",
  description: 'Newest first, for every organization named in the order.',
  access: 'token',
  params: orderId,
})

export const createShipment = defineOperation({
  id: 'createShipment',
  method: 'POST',
  path,
  tag: shipmentsTag,
  summary: 'Ship pieces of an order',
  description: `${ORDER.sentence('addShipment')} The shipment of the last piece makes the order SHIPPED. Each shipment needs the documents that the RFQ requires. An order has at most ${MAX_SHIPMENTS} shipments, besides those of all pieces that are left.`,
  transition: ORDER.verbs.addShipment,
  access: 'order:update',
  params: orderId,
  body: ShipmentInput,
  status: 201,
  answersState: 'SHIPPED',
  response: Shipment,
  refusals: ['illegal_transition', 'limit_reached'],
  audit: {
    procedure: 'order.shipment.create',
    request: ['id', 'shipmentId', 'quantity', 'carrier', 'trackingNumber', 'shippedTime', 'documentIds'],
  },
})

const shipmentVerb = verbsOf({
  name: 'order.shipment',
  table: SHIPMENT,
  path: `${path}/{shipmentId}`,
  tag: shipmentsTag,
  params: Type.Object({
    ...orderId.properties,
    shipmentId: Type.String({ description: 'Id of the shipment.', examples: [EXAMPLE_ID] }),
  }),
  response: Shipment,
})

export const receiveShipment = defineOperation({
  ...shipmentVerb('receive', {
    logged: ['acceptedQuantity', 'rejectedQuantity', 'reason'],
    note: 'Accepted and rejected pieces are together those of the shipment; missing ones count as rejected. A rejection opens a QUALITY case with the consumer, the manufacturer and the IP owner. The order is DELIVERED when everything has arrived or been received.',
  }),
  id: 'receiveShipment',
  summary: 'Receive a shipment',
  access: 'order:receive',
  body: closed({
    acceptedQuantity: Pieces('Pieces that are accepted.', 5, { minimum: 0 }),
    rejectedQuantity: Pieces('Pieces that are rejected, or missing.', 1, { minimum: 0 }),
    reason: Type.Optional(Reason('Why pieces are rejected.', 'One bore is out of tolerance.')),
  }),
})

const orderVerb = verbsOf({
  name: 'order',
  table: ORDER,
  path: '/flows/v1/orders/{id}',
  tag: shipmentsTag,
  params: orderId,
  response: Order,
})

export const shipOrder = defineOperation({
  ...orderVerb('ship', {
    logged: ['carrier', 'trackingNumber', 'shipmentId'],
    note: 'It is a shipment of all pieces that are not shipped.',
  }),
  summary: 'Ship an order',
  access: 'order:update',
  body: closed({ carrier, trackingNumber }),
  bodyOptional: true,
})

export const deliverOrder = defineOperation({
  ...orderVerb('deliver', {
    note: 'The manufacturer and the seller (`order:update`) record that everything has arrived. The consumer (`order:receive`) records the receipt of everything as accepted.',
  }),
  summary: 'Record the delivery of an order',
  access: ['order:update', 'order:receive'],
})

export const completeOrder = defineOperation({
  ...orderVerb('complete', {
    logged: ['settle'],
    note: 'It accepts what was not received yet. It is refused while rejected pieces are neither made again nor settled. With `settle` it ends an order with rejected pieces, also before everything is shipped, once each shipment is received: `settledTotal` is the unit price × the accepted pieces + tooling + shipping.',
  }),
  summary: 'Complete an order',
  access: 'order:receive',
  body: closed({
    settle: Type.Optional(
      Type.Boolean({ description: 'Pays for the accepted pieces only. Default: false.', examples: [false] }),
    ),
  }),
  bodyOptional: true,
})

export const remakeOrder = defineOperation({
  ...orderVerb('remake', { logged: ['quantity'], note: 'It proposes to make rejected pieces again.' }),
  summary: 'Propose to make rejected pieces again',
  access: 'order:update',
  body: closed({ quantity: Pieces('Number of pieces, at most those that are rejected.', 1) }),
})

export const acceptOrderRemake = defineOperation({
  ...orderVerb('acceptRemake', { note: 'The proposed pieces are then to be shipped.' }),
  summary: 'Accept a proposed remake',
  access: 'order:receive',
})

export const declineOrderRemake = defineOperation({
  ...orderVerb('declineRemake'),
  summary: 'Decline a proposed remake',
  access: 'order:receive',
})
