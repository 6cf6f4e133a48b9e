import { type Static, Type } from '@sinclair/typebox'
import { EMAIL_INVITATION, EMAIL_INVITATION_STATES } from '../../states/email-invitations.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed, DateTime, OneOf, Text } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { rfqId } from './rfqs.ts'

const tag = defineTag('Invitations by e-mail', 'Manufacturers that are invited to an RFQ by an e-mail address.')

/** Addresses that an organization invites within 24 hours. */
export const MAX_EMAIL_INVITATIONS_A_DAY = 20
/** Invitations of one RFQ that are PENDING or REDEEMED. */
export const MAX_LIVE_EMAIL_INVITATIONS = 100
/** Days within which the mailed link is used. */
export const EMAIL_INVITATION_DAYS = 30
/** Days for which an invitation is kept after its last change or its expiry. */
export const KEPT_EMAIL_INVITATION_DAYS = 90

const EXAMPLE_ID = 'emailInvitation_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const EmailInvitation = closed(
  {
    id: Type.String({ description: 'Id of the invitation.', examples: [EXAMPLE_ID] }),
    rfqId: Type.String({ description: 'Its RFQ.', examples: ['rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    email: Type.String({ description: 'The invited address.', examples: ['sales@ruhr-praezision.example.com'] }),
    state: OneOf(EMAIL_INVITATION_STATES, {
      description:
        'PENDING: the link was not used, whether or not the address is registered. REDEEMED: an organization used it, and waits to be confirmed. CONFIRMED: it was invited. REVOKED by the consumer. EXPIRED: the link can no longer be used.',
      examples: ['REDEEMED'],
    }),
    orgId: Type.Optional(
      Type.String({ description: 'Organization that used the link.', examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'] }),
    ),
    orgName: Type.Optional(Type.String({ description: 'Its name.', examples: ['Ruhr Präzision'] })),
    orgRegionCode: Type.Optional(Type.String({ description: 'Its country, ISO 3166-1 alpha-2.', examples: ['DE'] })),
    createdTime: DateTime('Time of the invitation.'),
    expireTime: DateTime('Time until which the link can be used.', { examples: ['2031-06-29T12:00:00.000Z'] }),
    redeemedTime: Type.Optional(DateTime('When the link was used.')),
    decidedTime: Type.Optional(DateTime('When it was confirmed or revoked.')),
  },
  {
    description: `An invitation by e-mail. It is deleted ${KEPT_EMAIL_INVITATION_DAYS} days after its last change or its expiry.`,
  },
)
export type EmailInvitation = Static<typeof EmailInvitation>

const invitationId = Type.Object({
  ...rfqId.properties,
  invitationId: Type.String({ description: 'Id of the invitation.', examples: [EXAMPLE_ID] }),
})

const path = '/flows/v1/rfqs/{id}/email-invitations'

export const listEmailInvitations = defineOperation({
  ...listOf(EmailInvitation),
  id: 'listEmailInvitations',
  path,
  tag,
  summary: "List an RFQ's invitations by e-mail",
  description: 'Newest first, for the consumer. Otherwise not found.',
  access: 'rfq:invite',
  params: rfqId,
})

const verb = verbsOf({
  name: 'rfq.emailInvitation',
  table: EMAIL_INVITATION,
  path: `${path}/{invitationId}`,
  tag,
  params: invitationId,
  response: EmailInvitation,
})

export const confirmEmailInvitation = defineOperation({
  ...verb('confirm', {
    logged: ['manufacturerOrgId'],
    note: 'Invites the organization that used the link, as `invite` of the RFQ does, with its conditions.',
  }),
  id: 'confirmEmailInvitation',
  summary: 'Invite the organization that used the link',
  access: 'rfq:invite',
  refusals: ['illegal_transition', 'conflict', 'limit_reached', 'subscription_required'],
})

export const revokeEmailInvitation = defineOperation({
  ...verb('revoke', {
    note: 'The link can no longer be used. An organization that used it is not notified.',
  }),
  id: 'revokeEmailInvitation',
  summary: 'Revoke an invitation by e-mail',
  access: 'rfq:invite',
})

const Token = closed({
  token: Text(128, {
    minLength: 1,
    description: 'Token of the mailed link.',
    examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
  }),
})

export const EmailInvitationLink = closed(
  {
    consumerName: Type.String({ description: 'Organization that invites.', examples: ['Nordhavn Shipping'] }),
    rfqSerialNumber: Type.String({ description: 'Serial number of its RFQ.', examples: ['R-7K2M-9QXD'] }),
    expireTime: DateTime('Time until which the link can be used.', { examples: ['2031-06-29T12:00:00.000Z'] }),
  },
  { description: 'What the link of an invitation discloses.' },
)
export type EmailInvitationLink = Static<typeof EmailInvitationLink>

export const introspectEmailInvitation = defineOperation({
  id: 'introspectEmailInvitation',
  method: 'POST',
  path: '/flows/v1/email-invitations/introspect',
  tag,
  summary: 'Show the invitation of a mailed link',
  description:
    'Changes nothing. Not found once the link was used, revoked or has expired, or its RFQ is no longer a DRAFT or OPEN.',
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: Token,
  response: EmailInvitationLink,
  refusals: ['not_found'],
  noStore: true,
})

export const redeemEmailInvitation = defineOperation({
  id: 'redeemEmailInvitation',
  method: 'POST',
  path: '/flows/v1/email-invitations/redeem',
  tag,
  summary: 'Use the link of an invitation for your organization',
  description:
    'By an administrator of an organization with the role MANUFACTURER, other than the consumer and those that are invited already (409). The consumer learns the name and country of the organization, and confirms it before it is invited; nothing of the RFQ can be read until then. The link works once.',
  access: 'org:admin',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: Token,
  response: EmailInvitationLink,
  refusals: ['not_found', 'conflict'],
  audit: { procedure: 'emailInvitation.redeem', request: ['invitationId'] },
  outlivesImpersonation: true,
})
