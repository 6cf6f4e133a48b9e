import { type Static, Type } from '@sinclair/typebox'
import { RFQ } from '../../states/rfqs.ts'
import { crudOf, listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { EmailAddress } from '../organization/users.ts'
import { closed, OneOf, patchOf, Reason } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { UpdateDocumentsRequest } from './documents.ts'
import { MAX_EMAIL_INVITATIONS_A_DAY } from './email-invitations.ts'
import { expireTime, manufacturerIds, Rfq, RfqInput, RfqInvitation, RfqPatch, rfqId } from './rfqs.ts'

export const rfqLifecycleTag = defineTag(
  'RFQ lifecycle',
  'Creating, publishing and ending RFQs, and their invitations.',
)

const crud = crudOf({
  name: 'rfq',
  path: '/flows/v1/rfqs',
  tag: rfqLifecycleTag,
  access: { read: 'token', write: 'rfq:create' },
  params: rfqId,
  input: RfqInput,
  patch: RfqPatch,
  response: Rfq,
  idName: 'rfqId',
})

export const createRfq = defineOperation({
  ...crud.create,
  summary: 'Create an RFQ',
  description: 'Creates a DRAFT with your organization as consumer. Other organizations see it once it is published.',
  answersState: 'DRAFT',
  refusals: ['subscription_required'],
})

export const patchRfq = defineOperation({
  ...crud.patch,
  summary: 'Change an RFQ',
  description: `${RFQ.sentence('patch')} The content of a published RFQ is fixed.`,
  transition: RFQ.verbs.patch,
  etag: true,
  refusals: ['illegal_transition', 'subscription_required'],
})

const verb = verbsOf({
  name: 'rfq',
  table: RFQ,
  path: '/flows/v1/rfqs/{id}',
  tag: rfqLifecycleTag,
  params: rfqId,
  response: Rfq,
})

export const publishRfq = defineOperation({
  ...verb('publish', {
    note: 'The RFQ needs an invitee, quantities and an expiry in the future, and with `confidentialityTerms` an internal part. The invited manufacturers can read the RFQ, the part and its files from now on.',
  }),
  summary: 'Publish an RFQ',
  access: 'rfq:publish',
  ifMatch: true,
  refusals: ['illegal_transition', 'limit_reached', 'subscription_required'],
})

const email = { ...EmailAddress, description: 'E-mail address.', examples: ['sales@ruhr-praezision.example.com'] }

export const InvitationInput = closed({
  manufacturerIds: Type.Optional({ ...manufacturerIds, minItems: 1 }),
  emails: Type.Optional(
    Type.Array(email, {
      minItems: 1,
      maxItems: MAX_EMAIL_INVITATIONS_A_DAY,
      description: 'Addresses of manufacturers, registered or not. At least one of the two fields is required.',
      examples: [['sales@ruhr-praezision.example.com']],
    }),
  ),
})
export type InvitationInput = Static<typeof InvitationInput>

export const inviteToRfq = defineOperation({
  ...verb('invite', {
    logged: ['manufacturerIds', 'emailInvitationIds'],
    note: `A manufacturer that declined is invited again; other existing invitations are unchanged. Each address of \`emails\` gets a link by mail, and its invitation by e-mail stays PENDING, whether or not it is registered, until an administrator of an organization uses the link; the consumer then confirms that organization. An address with a live invitation to the RFQ is unchanged. An organization invites at most ${MAX_EMAIL_INVITATIONS_A_DAY} addresses in 24 hours, and an address gets at most three such mails in 24 hours from one organization and 24 from all, three an hour; others wait or are not sent.`,
  }),
  id: 'inviteToRfq',
  summary: 'Invite manufacturers to an RFQ',
  access: 'rfq:invite',
  body: InvitationInput,
  refusals: ['illegal_transition', 'limit_reached', 'subscription_required', 'mail_unavailable'],
})

const AMENDABLE = [
  'quantities',
  'requirements',
  'expireTime',
  'requestedDeliveryDate',
  'delivery',
  'requiredDocuments',
] as const

export const Amendment = closed({
  ...patchOf(Type.Pick(RfqInput, AMENDABLE)).properties,
  partRevision: Type.Optional(
    OneOf(['CURRENT'], {
      description:
        'Pins the current revision of the part, if its content or files differ from the pinned one. Default: the pinned revision stays.',
      examples: ['CURRENT'],
    }),
  ),
  files: Type.Optional(UpdateDocumentsRequest),
  reason: Reason('Why the RFQ is amended; visible to everyone who reads it.', 'The hub was moved by 2 mm.'),
})
export type Amendment = Static<typeof Amendment>

export const amendRfq = defineOperation({
  ...verb('amend', {
    logged: [...AMENDABLE, 'partRevision', 'files', 'reason'],
    note: 'Changes the fields that are sent; null clears an optional one. The conditions of the publication hold. The expiry is at least 24 hours away and not earlier than before. An amendment of more than the expiry makes the next `version`, at most 100 times; the submitted offers for older versions are outdated until they are reconfirmed or revised.',
  }),
  summary: 'Amend an RFQ',
  access: 'rfq:publish',
  body: Amendment,
  ifMatch: true,
  refusals: ['illegal_transition', 'conflict', 'limit_reached', 'subscription_required'],
})

export const Extension = closed({ expireTime: expireTime('New time at which the RFQ closes.') })

export const extendRfq = defineOperation({
  ...verb('extend', { logged: ['expireTime'], note: 'The new expiry must be later than the current one.' }),
  summary: 'Extend an RFQ',
  access: 'rfq:publish',
  body: Extension,
})

export const closeRfq = defineOperation({
  ...verb('close', { note: 'At its expiry an RFQ closes by itself.' }),
  summary: 'Close an RFQ',
  access: 'rfq:publish',
})

export const reopenRfq = defineOperation({
  ...verb('reopen', { logged: ['expireTime'], note: 'The new expiry must be in the future.' }),
  summary: 'Open an RFQ again',
  refusals: ['illegal_transition', 'subscription_required'],
  access: 'rfq:publish',
  body: closed({ expireTime: expireTime('New time at which the RFQ closes.') }),
})

export const Cancellation = closed({
  reason: Reason('Why the RFQ is cancelled.', 'The pump is replaced.'),
})

export const cancelRfq = defineOperation({
  ...verb('cancel', { logged: ['reason'] }),
  summary: 'Cancel an RFQ',
  access: 'rfq:cancel',
  body: Cancellation,
})

export const declineRfq = defineOperation({
  ...verb('decline', {
    logged: ['reason'],
    note: 'Only before an offer is made. Declining ends the invitation: the manufacturer can no longer read an internal part, and needs a new invitation to make an offer.',
  }),
  summary: 'Decline an invitation to an RFQ',
  access: 'offer:create',
  body: closed({
    reason: Type.Optional(Reason('Why no offer is made; visible to the consumer.', 'No free capacity.')),
  }),
  bodyOptional: true,
})

export const deleteRfq = defineOperation({
  ...crud.delete,
  summary: 'Delete an RFQ',
  description: `${RFQ.sentence('delete')} Its history is no longer readable.`,
  transition: RFQ.verbs.delete,
  refusals: ['illegal_transition'],
})

export const listRfqInvitations = defineOperation({
  ...listOf(RfqInvitation),
  id: 'listRfqInvitations',
  path: '/flows/v1/rfqs/{id}/invitations',
  tag: rfqLifecycleTag,
  summary: "List an RFQ's invitations",
  description: 'For the consumer, newest first. An RFQ that was never published has none.',
  access: 'token',
  params: rfqId,
})
