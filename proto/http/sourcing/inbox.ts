import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, OneOf, PageOf, pageQuery } from '../shapes.ts'

const inboxTag = defineTag('Inbox', 'What waits for your organization.')

export const INBOX_KINDS = [
  'INVITATION',
  'QUESTION',
  'OUTDATED_OFFER',
  'INVITATION_TO_CONFIRM',
  'OFFERS_TO_COMPARE',
  'PART_CHANGED',
  'FILES_TO_RELEASE',
  'ORDER_TO_CONFIRM',
  'DOCUMENTS_MISSING',
  'SHIPMENT_TO_RECEIVE',
  'REJECTION_TO_ANSWER',
  'REMAKE_TO_DECIDE',
  'CHANGE_TO_DECIDE',
  'OFFER_TO_REINSTATE',
  'QUANTITY_MISSING',
  'AGREEMENT_TO_ACCEPT',
  'TASK',
  'EXPENSE_TO_DECIDE',
  'UNREAD_MESSAGES',
  'SUBSCRIPTION_REQUEST',
] as const
export type InboxKind = (typeof INBOX_KINDS)[number]

const INBOX_RECORD_TYPES = [
  'rfq',
  'rfqPackage',
  'offer',
  'order',
  'case',
  'task',
  'expense',
  'subscription',
  'shipment',
  'changeRequest',
  'salesAgreement',
  'emailInvitation',
] as const
export type InboxRecordType = (typeof INBOX_RECORD_TYPES)[number]

const kind = OneOf(INBOX_KINDS, {
  description:
    'INVITATION: an OPEN RFQ that your organization is invited to, and has neither quoted nor declined. QUESTION: an RFQ with questions that your organization may answer. OUTDATED_OFFER: an own offer of an older version of its RFQ. INVITATION_TO_CONFIRM: an organization that used the link of an invitation by e-mail. OFFERS_TO_COMPARE: an own RFQ that is CLOSED, or OPEN with offers and not sealed. PART_CHANGED: an own OPEN RFQ whose part has changed. FILES_TO_RELEASE: an RFQ or an order for an own part with files of the group `ip` that a manufacturer cannot read until your organization releases them; of an RFQ, a manufacturer that has accepted the confidentiality terms. ORDER_TO_CONFIRM: an order to confirm or decline. DOCUMENTS_MISSING: an order that cannot be shipped without further documents. SHIPMENT_TO_RECEIVE: a shipment that is not received. REJECTION_TO_ANSWER: an order with rejected pieces of which no remake is proposed. REMAKE_TO_DECIDE: an order whose manufacturer proposes to make rejected pieces again. CHANGE_TO_DECIDE: a change of an order that the other side proposes. OFFER_TO_REINSTATE: an own offer for the current version of its RFQ that lost and is asked for again. QUANTITY_MISSING: an own AWARDED RFQ with pieces to place again, while an offer for them stands or is asked for. AGREEMENT_TO_ACCEPT: a proposed sales agreement, with the name of the other organization. TASK: a task for you, or for any user of your organization. EXPENSE_TO_DECIDE: an expense to approve or reject. UNREAD_MESSAGES: a case with messages that your organization has not read. SUBSCRIPTION_REQUEST: a request for a subscription. Further kinds may follow.',
  examples: ['INVITATION'],
})

const RecordReference = (description: string, example: { type: InboxRecordType; id: string }) =>
  closed(
    {
      type: OneOf(INBOX_RECORD_TYPES, { description: 'Type of the record.', examples: [example.type] }),
      id: Type.String({ description: 'Id of the record.', examples: [example.id] }),
    },
    { description },
  )

export const InboxItem = closed(
  {
    kind,
    record: RecordReference(
      'What the item is about. RFQs and offers of a package that your organization reads are one item of each kind, about the package.',
      { type: 'rfq', id: 'rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB' },
    ),
    parent: Type.Optional(
      RecordReference(
        'The RFQ of an offer or an invitation by e-mail, the order of a shipment or a change request, and the case of a task or an expense.',
        {
          type: 'case',
          id: 'case_01JZ8Q4D3R1G5M7VJ0T6W2X9YB',
        },
      ),
    ),
    title: Type.Optional(
      Type.String({
        description: 'Title of the part, package, task, expense or case, as your organization may read it.',
        examples: ['Impeller'],
      }),
    ),
    count: Type.Optional(
      Type.Integer({ description: 'RFQs or offers of a package that wait. Only for a package.', examples: [12] }),
    ),
    since: DateTime('Time since which the item waits: of a package, its newest RFQ or offer.'),
    due: Type.Optional(
      DateTime(
        'Time until which it should be done: the expiry of the RFQ, the first one of a package, or when the task or order is due.',
        {
          examples: ['2031-05-29T12:00:00.000Z'],
        },
      ),
    ),
  },
  { description: 'Something that waits for your organization.' },
)
export type InboxItem = Static<typeof InboxItem>

export const listInbox = defineOperation({
  id: 'listInbox',
  method: 'GET',
  path: '/flows/v1/inbox',
  tag: inboxTag,
  summary: 'List what waits for your organization',
  description:
    'Newest first. Only items that you may read, and for which you have the permission to act. An item disappears when it is done.',
  access: 'token',
  query: Type.Object({ ...pageQuery, kind: Type.Optional(kind) }),
  response: PageOf(InboxItem),
})
