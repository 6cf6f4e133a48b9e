import { Type } from '@sinclair/typebox'
import type { Procedure } from '../../procedures.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Line, PageOf, pageQuery } from '../shapes.ts'
import { milestones, Order, orderFilters, orderId } from './orders.ts'

const orderLifecycleTag = defineTag(
  'Order lifecycle',
  'The steps of an order, from its confirmation to its completion. An order is not found by an organization whose step it is not.',
)

export const findOrders = defineOperation({
  id: 'findOrders',
  method: 'GET',
  path: '/flows/v1/orders',
  tag: orderLifecycleTag,
  summary: 'Find orders',
  description: 'The list of `GET /v1/orders`, with one filter more: the RFQ whose award placed the orders.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    ...orderFilters,
    rfqId: Type.Optional(
      Type.String({ description: 'Id of the awarded RFQ.', examples: ['rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    ),
  }),
  response: PageOf(Order),
})

/** A verb is the last segment of a POST, and the second word of its procedure. */
const verb = <const P extends Extract<Procedure, `order.${string}`>>(procedure: P, request: string[] = []) =>
  ({
    method: 'POST',
    path: `/flows/v1/orders/{id}/${procedure.slice('order.'.length)}`,
    tag: orderLifecycleTag,
    params: orderId,
    response: Order,
    etag: true,
    refusals: ['illegal_transition'],
    audit: { procedure, request: ['id', ...request] },
  }) as const

const reasonBody = (description: string, example: string) =>
  closed({ reason: Line(500, { description, examples: [example] }) })

export const confirmOrder = defineOperation({
  ...verb('order.confirm'),
  id: 'confirmOrder',
  summary: 'Confirm an order',
  description: 'By the manufacturer, from PLACED to CONFIRMED.',
  access: 'order:confirm',
})

export const declineOrder = defineOperation({
  ...verb('order.decline', ['reason']),
  id: 'declineOrder',
  summary: 'Decline an order',
  description: 'By the manufacturer, from PLACED to DECLINED.',
  access: 'order:confirm',
  body: reasonBody('Why the order is declined.', 'The machine is out of service until July.'),
})

export const startOrder = defineOperation({
  ...verb('order.start'),
  id: 'startOrder',
  summary: 'Start the production of an order',
  description: 'By the manufacturer, from CONFIRMED to IN_PRODUCTION.',
  access: 'order:update',
})

export const inspectOrder = defineOperation({
  ...verb('order.inspect'),
  id: 'inspectOrder',
  summary: 'Start the inspection of an order',
  description: 'By the manufacturer, from IN_PRODUCTION to INSPECTION.',
  access: 'order:update',
})

export const reworkOrder = defineOperation({
  ...verb('order.rework', ['reason']),
  id: 'reworkOrder',
  summary: 'Return an order to production',
  description: 'By the manufacturer, from INSPECTION to IN_PRODUCTION.',
  access: 'order:update',
  body: reasonBody('What the inspection found.', 'Two bores are out of tolerance.'),
})

export const shipOrder = defineOperation({
  ...verb('order.ship', ['carrier', 'trackingNumber']),
  id: 'shipOrder',
  summary: 'Ship an order',
  description: 'By the manufacturer, from INSPECTION to SHIPPED.',
  access: 'order:update',
  body: closed({
    carrier: Type.Optional(Line(200, { description: 'Carrier of the shipment.', examples: ['Nordic Freight'] })),
    trackingNumber: Type.Optional(
      Line(200, { description: 'Number of the shipment at its carrier.', examples: ['NF-2207-0042'] }),
    ),
  }),
  bodyOptional: true,
})

export const deliverOrder = defineOperation({
  ...verb('order.deliver'),
  id: 'deliverOrder',
  summary: 'Record the delivery of an order',
  description: 'By the manufacturer, the seller or the consumer, from SHIPPED to DELIVERED.',
  access: 'order:update',
})

export const completeOrder = defineOperation({
  ...verb('order.complete'),
  id: 'completeOrder',
  summary: 'Complete an order',
  description: 'By the consumer, which accepts the goods, from DELIVERED to COMPLETED.',
  access: 'order:update',
})

export const cancelOrder = defineOperation({
  ...verb('order.cancel', ['reason']),
  id: 'cancelOrder',
  summary: 'Cancel an order',
  description: 'By the consumer, from PLACED or CONFIRMED to CANCELLED.',
  access: 'order:cancel',
  body: reasonBody('Why the order is cancelled.', 'The pump is replaced.'),
})

export const holdOrder = defineOperation({
  ...verb('order.hold', ['reason']),
  id: 'holdOrder',
  summary: 'Put an order on hold',
  description: 'By the manufacturer, from CONFIRMED, IN_PRODUCTION or INSPECTION to ON_HOLD.',
  access: 'order:update',
  body: reasonBody('Why the order is on hold.', 'The powder batch failed its test.'),
})

export const resumeOrder = defineOperation({
  ...verb('order.resume'),
  id: 'resumeOrder',
  summary: 'Resume an order',
  description: 'By the manufacturer, from ON_HOLD to the state before it.',
  access: 'order:update',
})

export const replaceOrderMilestones = defineOperation({
  ...verb('order.milestones', ['milestones']),
  id: 'replaceOrderMilestones',
  summary: "Replace an order's milestones",
  description: 'By the manufacturer, from the confirmation until the delivery. The list is replaced completely.',
  access: 'order:update',
  body: closed({ milestones }),
})

export const releaseOrderFiles = defineOperation({
  ...verb('order.releaseFiles'),
  path: '/flows/v1/orders/{id}/release-files',
  id: 'releaseOrderFiles',
  summary: "Release a part's files for an order",
  description:
    "By the IP owner, until the delivery. The manufacturer reads the part's files of the group `ip` from the confirmation until the delivery, those that are added later too. The award of an RFQ for a part of your own releases them by itself.",
  access: 'part:update',
})
