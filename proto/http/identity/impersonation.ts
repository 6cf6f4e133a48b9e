import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Line, PageOf, pageQuery, pathParam } from '../shapes.ts'
import { TokenResponse } from './tokens.ts'

export const impersonationTag = defineTag(
  'Impersonation (beyond the specification)',
  'A support session that acts as a user for a limited time and a stated reason. The audit log marks everything done in it.',
)

const EXAMPLE_ID = 'grant_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const grantId = pathParam('id', 'Id of the grant.', EXAMPLE_ID)

const asked = {
  userId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'User of your organization who is acted as.',
    examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
  }),
  actingEmail: Line(254, {
    minLength: 3,
    pattern: '^[^@\\s\\u0000-\\u001f\\u007f]+@[^@\\s\\u0000-\\u001f\\u007f]+$',
    description: 'E-mail address of whoever gets the link; no account belongs to it.',
    examples: ['support@example.com'],
  }),
  reason: Line(500, {
    description: 'Why; the audit log shows it with everything that is done.',
    examples: ['Ticket 4711: the buyer cannot find an offer'],
  }),
}

export const ImpersonationGrant = closed({
  id: Type.String({ description: 'Id of the grant.', examples: [EXAMPLE_ID] }),
  ...asked,
  createdTime: DateTime('When it was created.'),
  expireTime: DateTime('When it ends, and the session under it.'),
  redeemedTime: Type.Optional(DateTime('When its link was used.')),
  revokedTime: Type.Optional(DateTime('When it was revoked, if it was.')),
})
export type ImpersonationGrant = Static<typeof ImpersonationGrant>

export const CreateImpersonationGrantRequest = closed({
  ...asked,
  expireTime: Type.Optional(
    DateTime('When it is to end: an hour from now unless it is sent, and 24 hours from now at most.'),
  ),
})
export type CreateImpersonationGrantRequest = Static<typeof CreateImpersonationGrantRequest>

export const CreatedImpersonationGrant = closed({
  ...ImpersonationGrant.properties,
  url: Type.String({
    description: 'Link to pass on: it works once, and is shown in this answer alone.',
    examples: ['https://marketplace.example.com/impersonate#mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
  }),
})

export const createImpersonationGrant = defineOperation({
  id: 'createImpersonationGrant',
  method: 'POST',
  path: '/flows/v1/impersonation-grants',
  tag: impersonationTag,
  summary: 'Let somebody act as a user',
  description:
    'For support, for a while and for a reason. Whoever opens the link acts as the user, in whose name the audit log ' +
    'keeps everything, with the grant beside it. Nobody lets act as a user who holds a permission that they lack (403).',
  access: 'org:admin',
  body: CreateImpersonationGrantRequest,
  status: 201,
  response: CreatedImpersonationGrant,
  idempotent: true,
  refusals: ['conflict'],
  audit: { procedure: 'impersonationGrant.create', request: ['userId', 'actingEmail', 'reason', 'expireTime'] },
  closedToImpersonation: true,
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
  summary: 'Act as a user with the link of a grant',
  description:
    'The token of the link works once, until the grant ends; unknown, used, expired and revoked ones are one 404. ' +
    'Failures are throttled as sign-ins are. The session can be refreshed, and ends with the grant.',
  access: 'public',
  body: closed({
    token: Type.String({
      minLength: 1,
      maxLength: 512,
      description: "The part of the link behind the '#'.",
      examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
    }),
  }),
  response: TokenResponse,
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
  description: 'Its link is void at once, and the session under it is dead in every service within a second.',
  access: 'org:admin',
  params: grantId,
  response: ImpersonationGrant,
  refusals: ['illegal_transition'],
  audit: { procedure: 'impersonationGrant.revoke', request: ['id'] },
  closedToImpersonation: true,
})
