import { type Static, Type } from '@sinclair/typebox'
import type { Procedure } from '../../procedures.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Line, OneOf, PageOf, pageQuery } from '../shapes.ts'
import { expireTime, manufacturerIds, Rfq, RfqInput, RfqPatch, rfqId } from './rfqs.ts'

export const rfqLifecycleTag = defineTag('RFQ lifecycle', 'Creation, publication, invitations and end of RFQs.')

const FIELDS = Object.keys(RfqInput.properties)

export const createRfq = defineOperation({
  id: 'createRfq',
  method: 'POST',
  path: '/flows/v1/rfqs',
  tag: rfqLifecycleTag,
  summary: 'Create an RFQ',
  description: 'Creates a DRAFT with your organization as consumer. Other organizations see it once it is published.',
  access: 'rfq:create',
  body: RfqInput,
  status: 201,
  response: Rfq,
  audit: { procedure: 'rfq.create', request: FIELDS },
})

export const patchRfq = defineOperation({
  id: 'patchRfq',
  method: 'PATCH',
  path: '/flows/v1/rfqs/{id}',
  tag: rfqLifecycleTag,
  summary: 'Change an RFQ',
  description: 'In state DRAFT. The content of a published RFQ is fixed.',
  access: 'rfq:create',
  params: rfqId,
  body: RfqPatch,
  response: Rfq,
  ifMatch: true,
  etag: true,
  refusals: ['illegal_transition', 'precondition_failed'],
  audit: { procedure: 'rfq.patch', request: ['id', ...FIELDS] },
})

/** A verb is the last segment of a POST, and the second word of its procedure. */
const verb = <const P extends Extract<Procedure, `rfq.${string}`>>(procedure: P, request: string[] = []) =>
  ({
    method: 'POST',
    path: `/flows/v1/rfqs/{id}/${procedure.slice('rfq.'.length)}`,
    tag: rfqLifecycleTag,
    params: rfqId,
    response: Rfq,
    etag: true,
    refusals: ['illegal_transition'],
    audit: { procedure, request: ['id', ...request] },
  }) as const

export const publishRfq = defineOperation({
  ...verb('rfq.publish'),
  id: 'publishRfq',
  summary: 'Publish an RFQ',
  description:
    'From DRAFT to OPEN. The RFQ needs an invitee, quantities and an expiry in the future. The invited manufacturers can read the RFQ, the part and its files from now on.',
  access: 'rfq:publish',
})

export const inviteToRfq = defineOperation({
  ...verb('rfq.invite', ['manufacturerIds']),
  id: 'inviteToRfq',
  summary: 'Invite manufacturers to an RFQ',
  description:
    'In state DRAFT or OPEN. A manufacturer that declined is invited again; others that are invited already stay as they are.',
  access: 'rfq:invite',
  body: closed({ manufacturerIds: { ...manufacturerIds, minItems: 1 } }),
  refusals: ['illegal_transition', 'limit_reached'],
})

export const extendRfq = defineOperation({
  ...verb('rfq.extend', ['expireTime']),
  id: 'extendRfq',
  summary: 'Extend an RFQ',
  description: 'In state OPEN. The new expiry must be later than the present one.',
  access: 'rfq:publish',
  body: closed({ expireTime: expireTime('New time at which the RFQ closes.') }),
})

export const closeRfq = defineOperation({
  ...verb('rfq.close'),
  id: 'closeRfq',
  summary: 'Close an RFQ',
  description: 'From OPEN to CLOSED before the expiry. At its expiry an RFQ closes by itself.',
  access: 'rfq:publish',
})

export const reopenRfq = defineOperation({
  ...verb('rfq.reopen', ['expireTime']),
  id: 'reopenRfq',
  summary: 'Open an RFQ again',
  description: 'From CLOSED to OPEN, with a new expiry in the future.',
  access: 'rfq:publish',
  body: closed({ expireTime: expireTime('New time at which the RFQ closes.') }),
})

export const cancelRfq = defineOperation({
  ...verb('rfq.cancel', ['reason']),
  id: 'cancelRfq',
  summary: 'Cancel an RFQ',
  description: 'From DRAFT, OPEN or CLOSED to CANCELLED.',
  access: 'rfq:cancel',
  body: closed({
    reason: Line(500, { description: 'Why the RFQ is cancelled.', examples: ['The pump is replaced.'] }),
  }),
})

export const declineRfq = defineOperation({
  ...verb('rfq.decline', ['reason']),
  id: 'declineRfq',
  summary: 'Decline an invitation to an RFQ',
  description:
    'By an invited manufacturer, while the RFQ is OPEN and until it has an offer. It ends the invitation: the manufacturer can no longer read an internal part, and an offer needs a new invitation.',
  access: 'offer:create',
  body: closed({
    reason: Type.Optional(
      Line(500, { description: 'Why no offer is made. The consumer sees it.', examples: ['No free capacity.'] }),
    ),
  }),
  bodyOptional: true,
})

export const deleteRfq = defineOperation({
  id: 'deleteRfq',
  method: 'DELETE',
  path: '/flows/v1/rfqs/{id}',
  tag: rfqLifecycleTag,
  summary: 'Delete an RFQ',
  description: 'In state DRAFT. Its history is no longer readable.',
  access: 'rfq:create',
  params: rfqId,
  status: 204,
  refusals: ['illegal_transition'],
  audit: { procedure: 'rfq.delete', request: ['id'] },
})

export const RfqInvitation = closed({
  manufacturerOrgId: Type.String({
    description: 'Invited organization.',
    examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
  }),
  state: OneOf(['INVITED', 'READ', 'DECLINED', 'OFFERED'], {
    description: 'READ once the manufacturer has read the RFQ; OFFERED once it has submitted an offer.',
    examples: ['DECLINED'],
  }),
  reason: Type.Optional(Type.String({ description: 'Reason of a decline.', examples: ['No free capacity.'] })),
  invitedTime: DateTime('Time of the invitation.'),
  readTime: Type.Optional(DateTime('Time of the first read.')),
  declinedTime: Type.Optional(DateTime('Time of the decline.')),
  offeredTime: Type.Optional(DateTime('Time of the first submitted offer.')),
})
export type RfqInvitation = Static<typeof RfqInvitation>

export const listRfqInvitations = defineOperation({
  id: 'listRfqInvitations',
  method: 'GET',
  path: '/flows/v1/rfqs/{id}/invitations',
  tag: rfqLifecycleTag,
  summary: "List an RFQ's invitations",
  description: 'For the consumer, newest first. An RFQ that was never published has none.',
  access: 'token',
  params: rfqId,
  query: Type.Object(pageQuery),
  response: PageOf(RfqInvitation),
})
