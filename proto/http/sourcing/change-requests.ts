import { type Static, Type } from '@sinclair/typebox'
import { CHANGE_REQUEST, CHANGE_REQUEST_STATES } from '../../states/change-requests.ts'
import { ORDER } from '../../states/orders.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Day, Int32, OneOf, Pieces, Reason } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { Money } from './money.ts'
import { orderId } from './orders.ts'

const changesTag = defineTag(
  'Change requests',
  'Changes of an order that consumer and manufacturer agree on. Other organizations of the order get 404.',
)

/** Change requests of one side of an order. */
export const MAX_CHANGE_REQUESTS = 100

const EXAMPLE_ID = 'change_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const SIDES = ['CONSUMER', 'MANUFACTURER'] as const
export type Side = (typeof SIDES)[number]

const dueDate = (description: string) => Day(description, '2031-06-24')

const money = (description: string) => Type.Unsafe<Money>({ ...Money, description })

const changed = {
  quantity: Type.Optional(Pieces('New quantity, not below what is shipped.', 8)),
  dueDate: Type.Optional(dueDate('New day (UTC) of delivery, not in the past.')),
  unitPrice: Type.Optional(money('New unit price, in the currency of the order.')),
}

const reason = (description: string) => Reason(description, 'The pump is delivered two weeks later.')

export const ChangeRequestInput = closed({
  ...changed,
  cancel: Type.Optional(
    Type.Literal(true, {
      examples: [true],
      description:
        'Cancels the order, instead of the changes above. Of an order with shipments it cancels what is not shipped.',
    }),
  ),
  fee: Type.Optional(
    money('With `cancel`: what the consumer pays for the cancellation, at most the value of what is cancelled.'),
  ),
  reason: reason('Why the order should change.'),
})
export type ChangeRequestInput = Static<typeof ChangeRequestInput>

export const ChangeRequest = closed(
  {
    id: Type.String({ description: 'Id of the change request.', examples: [EXAMPLE_ID] }),
    orderId: Type.String({ description: 'Its order.', examples: ['order_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    proposedBy: OneOf(SIDES, { description: 'The side that proposed it; the other decides.', examples: ['CONSUMER'] }),
    state: OneOf(CHANGE_REQUEST_STATES, { description: 'State of the change request.', examples: ['PROPOSED'] }),
    quantity: Type.Optional(Int32('New quantity.', 8)),
    dueDate: Type.Optional(dueDate('New day (UTC) of delivery.')),
    unitPrice: changed.unitPrice,
    cancel: Type.Optional(Type.Boolean({ description: 'Whether the order is to be cancelled.', examples: [true] })),
    fee: Type.Optional(money('What the consumer would pay for the cancellation.')),
    previous: closed(
      {
        quantity: Type.Optional(Int32('Quantity.', 10)),
        dueDate: Type.Optional(dueDate('Day (UTC) of delivery.')),
        unitPrice: Type.Optional(money('Unit price.')),
      },
      { description: 'The values of the order that would change, when they were proposed.' },
    ),
    reason: Type.String({ description: 'Why the order should change.', examples: ['The pump is delivered later.'] }),
    decisionReason: Type.Optional(
      Type.String({ description: 'Why it was declined.', examples: ['The material is cut already.'] }),
    ),
    createdTime: DateTime('Time of the proposal.'),
    decidedTime: Type.Optional(DateTime('Time at which it was accepted, declined or withdrawn.')),
  },
  { description: 'A change of an order that one side proposes and the other decides.' },
)
export type ChangeRequest = Static<typeof ChangeRequest>

const path = '/flows/v1/orders/{id}/change-requests'
const access = ['rfq:award', 'order:confirm'] as const
const PERMISSIONS = 'The consumer needs `rfq:award`, the manufacturer `order:confirm`.'

export const listChangeRequests = defineOperation({
  ...listOf(ChangeRequest),
  id: 'listChangeRequests',
  path,
  tag: changesTag,
  summary: "List an order's change requests",
  description: 'Newest first, for consumer and manufacturer.',
  access: 'token',
  params: orderId,
})

export const createChangeRequest = defineOperation({
  id: 'createChangeRequest',
  method: 'POST',
  path,
  tag: changesTag,
  summary: 'Propose to change an order',
  description: `${ORDER.sentence('change')} ${PERMISSIONS} Each side has one PROPOSED request, and proposes at most ${MAX_CHANGE_REQUESTS} for an order. The manufacturer's silence of 14 days on a request to cancel an order that is 30 days overdue cancels it without fee.`,
  transition: ORDER.verbs.change,
  access,
  params: orderId,
  body: ChangeRequestInput,
  status: 201,
  answersState: 'PROPOSED',
  response: ChangeRequest,
  refusals: ['illegal_transition', 'conflict', 'limit_reached'],
  audit: {
    procedure: 'order.changeRequest.create',
    request: ['id', 'changeRequestId', 'quantity', 'dueDate', 'unitPrice', 'cancel', 'fee', 'reason'],
  },
})

const verb = verbsOf({
  name: 'order.changeRequest',
  table: CHANGE_REQUEST,
  path: `${path}/{changeRequestId}`,
  tag: changesTag,
  params: Type.Object({
    ...orderId.properties,
    changeRequestId: Type.String({ description: 'Id of the change request.', examples: [EXAMPLE_ID] }),
  }),
  response: ChangeRequest,
})

export const acceptChangeRequest = defineOperation({
  ...verb('accept', {
    note: `It changes the order, whose total follows, and withdraws the PROPOSED request of the other side. A quantity that is reduced to what is shipped makes the order SHIPPED. ${PERMISSIONS}`,
  }),
  id: 'acceptChangeRequest',
  summary: 'Accept a change request',
  access,
})

export const declineChangeRequest = defineOperation({
  ...verb('decline', { logged: ['reason'], note: PERMISSIONS }),
  id: 'declineChangeRequest',
  summary: 'Decline a change request',
  access,
  body: closed({ reason: Type.Optional(reason('Why it is declined.')) }),
  bodyOptional: true,
})

export const withdrawChangeRequest = defineOperation({
  ...verb('withdraw', { note: PERMISSIONS }),
  id: 'withdrawChangeRequest',
  summary: 'Withdraw a change request',
  access,
})
