import { type Static, Type } from '@sinclair/typebox'
import { ORDER_STATES } from '../../states/orders.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Day, Int32, Line, OneOf, PageOf, pageQuery, pathParam } from '../shapes.ts'
import { Delivery } from './delivery.ts'
import { HistoryEntry } from './history.ts'
import { Money, Total } from './money.ts'
import { pictureField } from './previews.ts'
import { paymentTerms } from './rfqs.ts'

const ordersTag = defineTag(
  'Orders',
  'Orders that awards of RFQs placed with factories, for every organization in them.',
)

const EXAMPLE_ID = 'order_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_PART = 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_FACTORY = 'factory_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const MAX_MILESTONES = 50

export const Milestone = closed(
  {
    name: Line(200, { description: 'Name of the milestone.', examples: ['First article inspection'] }),
    plannedTime: Type.Optional(DateTime('Planned time.', { examples: ['2026-05-20T12:00:00.000Z'] })),
    completedTime: Type.Optional(DateTime('Time of completion.', { examples: ['2026-05-19T15:30:00.000Z'] })),
  },
  { description: 'A step of an order that the manufacturer plans and reports.' },
)
export type Milestone = Static<typeof Milestone>

export const milestones = Type.Array(Milestone, {
  maxItems: MAX_MILESTONES,
  description: 'Milestones in their order.',
  examples: [[{ name: 'First article inspection', plannedTime: '2026-05-20T12:00:00.000Z' }]],
})

export const org = (description: string, last: string) =>
  Type.String({ description, examples: [`org_01JZ8Q4D3R1G5M7VJ0T6W2X9Y${last}`] })

const optional = {
  toolingCost: Type.Optional(Money),
  shippingCost: Type.Optional(Money),
  carrier: Type.Optional(Type.String({ description: 'Carrier of the shipment.', examples: ['Nordic Freight'] })),
  trackingNumber: Type.Optional(
    Type.String({ description: 'Number of the shipment at its carrier.', examples: ['NF-2207-0042'] }),
  ),
  reason: Type.Optional(
    Type.String({
      description: 'Why the order is on hold, was declined or cancelled, or returned to production.',
      examples: ['The powder batch failed its test.'],
    }),
  ),
}

const sum = (description: string, example: number) => Type.Optional(Int32(description, example))

/** Pieces of the shipments of an order; absent as long as there are none. */
const sums = {
  shippedQuantity: sum('Pieces that are shipped, with those that were made again.', 10),
  acceptedQuantity: sum('Pieces that the consumer accepted.', 9),
  rejectedQuantity: sum('Pieces that the consumer rejected, or that were missing.', 1),
  remadeQuantity: sum('Rejected pieces that are made again.', 1),
  proposedRemakeQuantity: sum('Rejected pieces that the manufacturer proposes to make again.', 1),
}

export const Order = closed(
  {
    id: Type.String({ description: 'Id of the order.', examples: [EXAMPLE_ID] }),
    serialNumber: Type.String({
      description: '`O-` and eight Crockford characters, unique on the platform.',
      examples: ['O-7K2M9QXA'],
    }),
    rfqId: Type.String({ description: 'Awarded RFQ.', examples: ['rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    offerId: Type.String({ description: 'Accepted offer.', examples: ['offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    partId: Type.String({ description: 'Ordered part.', examples: [EXAMPLE_PART] }),
    partRevision: Type.Optional(Int32('Revision of the part that is made.', 3, { minimum: 1 })),
    factoryId: Type.String({ description: 'Factory that makes the part.', examples: [EXAMPLE_FACTORY] }),
    consumerOrgId: org('Organization that placed the order.', 'B'),
    ipOwnerOrgId: org('IP owner of the part.', 'D'),
    manufacturerOrgId: org('Organization of the factory.', 'C'),
    sellerOrgId: org('Organization that sells the parts: the one named in the award, or the manufacturer.', 'C'),
    distributorOrgId: Type.Optional(org('Distributor of the consumer, where it has one.', 'E')),
    state: OneOf(ORDER_STATES, { description: 'State of the order.', examples: ['CONFIRMED'] }),
    purchaseOrderNumber: Type.Optional(
      Line(100, { description: "The consumer's own number of the order.", examples: ['4500118'] }),
    ),
    quantity: Int32('Number of pieces.', 10),
    ...sums,
    unitPrice: Money,
    toolingCost: optional.toolingCost,
    shippingCost: optional.shippingCost,
    total: Total,
    sellerFee: Type.Optional(Total),
    settledTotal: Type.Optional(Total),
    cancellationFee: Type.Optional(Money),
    paymentTerms: Type.Optional(paymentTerms('Payment terms of the offer, else those of the RFQ.')),
    delivery: Type.Optional(Delivery),
    dueDate: Day('Day (UTC) of delivery: the lead time of the offer after the award.', '2026-06-10'),
    expectedDate: Type.Optional(
      Day(
        'Day (UTC) on which the delivery is expected, if the manufacturer has announced a later one than `dueDate`: the last extension of the assignment, or a later milestone that is not completed. Absent once the order is delivered.',
        '2026-06-24',
      ),
    ),
    arrivedTime: Type.Optional(DateTime('When everything had arrived.')),
    filesReleasedTime: Type.Optional(
      DateTime('When the IP owner released the files of the group `ip` to the manufacturer.'),
    ),
    milestones,
    carrier: optional.carrier,
    trackingNumber: optional.trackingNumber,
    reason: optional.reason,
    createdTime: DateTime('Time of the award.'),
    updatedTime: DateTime('Time of the last change.'),
    ...pictureField,
  },
  {
    description:
      'The total is the unit price × the quantity + tooling + shipping. `sellerFee` is what the consumer pays the seller above the total, for consumer, manufacturer and seller alone. `settledTotal` has the accepted pieces instead, where the consumer completed the order with a settlement. `cancellationFee` is what the consumer pays for an order that both sides agreed to cancel.',
  },
)
export type Order = Static<typeof Order>

export const orderId = pathParam('id', 'Id of the order.', EXAMPLE_ID)

export const ORDER_VIEWS = ['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR'] as const
export type OrderView = (typeof ORDER_VIEWS)[number]

export const orderFilters = {
  view: Type.Optional(
    OneOf(ORDER_VIEWS, { description: 'Role of your organization. Default: every role.', examples: ['CONSUMER'] }),
  ),
  state: Type.Optional(OneOf(ORDER_STATES, { description: 'State of the order.', examples: ['CONFIRMED'] })),
  partId: Type.Optional(Type.String({ description: 'Id of the part.', examples: [EXAMPLE_PART] })),
  factoryId: Type.Optional(Type.String({ description: 'Id of the factory.', examples: [EXAMPLE_FACTORY] })),
}

export const listOrders = defineOperation({
  id: 'listOrders',
  method: 'GET',
  path: '/v1/orders',
  tag: ordersTag,
  summary: 'List orders',
  description: 'Newest first: the orders in which your organization is named.',
  access: 'token',
  query: Type.Object({ ...pageQuery, ...orderFilters }),
  response: PageOf(Order),
  beta: true,
})

export const getOrder = defineOperation({
  id: 'getOrder',
  method: 'GET',
  path: '/v1/orders/{id}',
  tag: ordersTag,
  summary: 'Get an order',
  description: 'For every organization named in the order. Otherwise not found.',
  access: 'token',
  params: orderId,
  response: Order,
  etag: true,
  beta: true,
})

export const listOrderHistory = defineOperation({
  ...listOf(HistoryEntry),
  id: 'listOrderHistory',
  path: '/v1/orders/{id}/history',
  tag: ordersTag,
  summary: "List an order's history",
  description: 'Newest first, for every organization named in the order.',
  access: 'token',
  params: orderId,
  beta: true,
})
