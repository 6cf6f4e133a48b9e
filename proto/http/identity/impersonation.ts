import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { EMAIL_FORM, EMAIL_MAX_CHARACTERS, EMAIL_PATTERN } from '../organization/users.ts'
import { closed, DateTime, FORM, Id, PageOf, pageQuery, pathParam, Reason, Text } from '../shapes.ts'
import { TokenSet } from './tokens.ts'

const impersonationTag = defineTag(
  'Impersonation',
  'A support session acts as a user, for a limited time and a stated reason. The audit log marks each of its actions.',
)

const EXAMPLE_ID = 'grant_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const grantId = pathParam('id', 'Id of the grant.', EXAMPLE_ID)

const grantFields = {
  userId: Id('User of your organization to impersonate.', 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
  actingEmail: Text(EMAIL_MAX_CHARACTERS, {
    minLength: 3,
    pattern: EMAIL_PATTERN,
    [FORM]: EMAIL_FORM,
    description: 'E-mail address of the acting person, who needs no account.',
    examples: ['support@example.com'],
  }),
  reason: Reason('Reason, shown in the audit log with every action.', 'Ticket 4711: the buyer cannot find an offer'),
}

export const ImpersonationGrant = closed({
  id: Type.String({ description: 'Id of the grant.', examples: [EXAMPLE_ID] }),
  ...grantFields,
  createdTime: DateTime('Time of creation.'),
  expireTime: DateTime('End of the grant and of its session.'),
  redeemedTime: Type.Optional(DateTime('Time at which the link was redeemed.')),
  revokedTime: Type.Optional(DateTime('Time of the revocation.')),
})
export type ImpersonationGrant = Static<typeof ImpersonationGrant>

export const ImpersonationGrantInput = closed({
  ...grantFields,
  expireTime: Type.Optional(DateTime('End of the grant: at most 24 hours from now. Default: in one hour.')),
})

export const CreatedImpersonationGrant = closed({
  ...ImpersonationGrant.properties,
  url: Type.String({
    description: 'Single-use link for the acting person. Only this response contains it.',
    examples: ['https://marketplace.example.com/impersonate#mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
  }),
})

export const createImpersonationGrant = defineOperation({
  id: 'createImpersonationGrant',
  method: 'POST',
  path: '/flows/v1/impersonation-grants',
  tag: impersonationTag,
  summary: 'Create an impersonation grant',
  description:
    'For support, for a limited time. The person who opens the link acts as the user. The audit log records each action ' +
    'with the user as actor and the grant. You must hold every permission of the user (403).',
  access: 'org:admin',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: ImpersonationGrantInput,
  status: 201,
  response: CreatedImpersonationGrant,
  refusals: ['conflict'],
  audit: { procedure: 'impersonationGrant.create', request: ['userId', 'actingEmail', 'reason', 'expireTime'] },
  changesAuthority: true,
  noStore: true,
})

export const listImpersonationGrants = defineOperation({
  id: 'listImpersonationGrants',
  method: 'GET',
  path: '/flows/v1/impersonation-grants',
  tag: impersonationTag,
  summary: 'List the impersonation grants of your organization',
  description: 'Newest first.',
  access: 'org:admin',
  query: Type.Object({ ...pageQuery }),
  response: PageOf(ImpersonationGrant),
})

export const getImpersonationGrant = defineOperation({
  id: 'getImpersonationGrant',
  method: 'GET',
  path: '/flows/v1/impersonation-grants/{id}',
  tag: impersonationTag,
  summary: 'Get an impersonation grant',
  description: 'An unknown id and one outside your scope are the same 404.',
  access: 'org:admin',
  params: grantId,
  response: ImpersonationGrant,
  etag: true,
})

export const redeemImpersonationGrant = defineOperation({
  id: 'redeemImpersonationGrant',
  method: 'POST',
  path: '/flows/v1/impersonation-grants/redeem',
  tag: impersonationTag,
  summary: 'Redeem an impersonation grant',
  description:
    'The token of the link works once, until the grant ends. Unknown, used, expired and revoked tokens are the same 404. ' +
    'Failures are throttled like failed sign-ins. The session can be refreshed, and ends with the grant.',
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({
    token: Type.String({
      minLength: 1,
      maxLength: 512,
      description: "Fragment of the link, after '#'.",
      examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
    }),
  }),
  response: TokenSet,
  refusals: ['not_found'],
  audit: { procedure: 'impersonationGrant.redeem', request: [] },
  noStore: true,
})

export const revokeImpersonationGrant = defineOperation({
  id: 'revokeImpersonationGrant',
  method: 'POST',
  path: '/flows/v1/impersonation-grants/{id}/revoke',
  tag: impersonationTag,
  summary: 'Revoke an impersonation grant',
  description: 'Voids the link immediately and ends the session in every service within a second.',
  access: 'org:admin',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  params: grantId,
  response: ImpersonationGrant,
  refusals: ['illegal_transition'],
  audit: { procedure: 'impersonationGrant.revoke', request: ['id'] },
  changesAuthority: true,
})
