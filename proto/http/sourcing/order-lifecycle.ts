import { Type } from '@sinclair/typebox'
import { ORDER } from '../../states/orders.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, PageOf, pageQuery, Reason, Search } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { milestones, Order, orderFilters, orderId } from './orders.ts'

export const orderLifecycleTag = defineTag(
  'Order lifecycle',
  'The steps of an order, from confirmation to completion. An organization that may not take a step gets 404.',
)

export const findOrders = defineOperation({
  id: 'findOrders',
  method: 'GET',
  path: '/flows/v1/orders',
  tag: orderLifecycleTag,
  summary: 'Find orders',
  description:
    'The list of `GET /v1/orders`, with two more filters: the RFQ whose award placed the orders, and a text.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    ...orderFilters,
    rfqId: Type.Optional(
      Type.String({ description: 'Id of the awarded RFQ.', examples: ['rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    ),
    q: Type.Optional(
      Search(
        'Case-insensitive: substring of the title of the part or of the purchase order number, or exact serial number of the order or of the part.',
        'impeller',
      ),
    ),
  }),
  response: PageOf(Order),
})

const verb = verbsOf({
  name: 'order',
  table: ORDER,
  path: '/flows/v1/orders/{id}',
  tag: orderLifecycleTag,
  params: orderId,
  response: Order,
})

const reasonBody = (description: string, example: string) => closed({ reason: Reason(description, example) })

export const confirmOrder = defineOperation({
  ...verb('confirm'),
  summary: 'Confirm an order',
  access: 'order:confirm',
})

export const declineOrder = defineOperation({
  ...verb('decline', { logged: ['reason'] }),
  summary: 'Decline an order',
  access: 'order:confirm',
  body: reasonBody('Why the order is declined.', 'The machine is out of service until July.'),
})

export const startOrder = defineOperation({
  ...verb('start'),
  summary: 'Start the production of an order',
  access: 'order:update',
})

export const inspectOrder = defineOperation({
  ...verb('inspect'),
  summary: 'Start the inspection of an order',
  access: 'order:update',
})

export const reworkOrder = defineOperation({
  ...verb('rework', { logged: ['reason'] }),
  summary: 'Return an order to production',
  access: 'order:update',
  body: reasonBody('What the inspection found.', 'Two bores are out of tolerance.'),
})

export const cancelOrder = defineOperation({
  ...verb('cancel', { logged: ['reason'] }),
  summary: 'Cancel an order',
  access: 'order:cancel',
  body: reasonBody('Why the order is cancelled.', 'The pump is replaced.'),
})

export const holdOrder = defineOperation({
  ...verb('hold', { logged: ['reason'] }),
  summary: 'Put an order on hold',
  access: 'order:update',
  body: reasonBody('Why the order is on hold.', 'The powder batch failed its test.'),
})

export const resumeOrder = defineOperation({
  ...verb('resume'),
  summary: 'Resume an order',
  access: 'order:update',
})

export const replaceOrderMilestones = defineOperation({
  ...verb('milestones', { logged: ['milestones'], note: 'The list is replaced completely.' }),
  id: 'replaceOrderMilestones',
  summary: "Replace an order's milestones",
  access: 'order:update',
  ifMatch: true,
  body: closed({ milestones }),
})

export const releaseOrderFiles = defineOperation({
  ...verb('releaseFiles', {
    note: "The manufacturer can read the part's files of the group `ip` from confirmation until delivery, including those added later. Awarding an RFQ for your own part releases them automatically.",
  }),
  summary: "Release a part's files for an order",
  access: 'part:update',
})
