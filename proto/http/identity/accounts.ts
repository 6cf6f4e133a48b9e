import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed, DateTime, PageOf, pageQuery, pathParam, Text } from '../shapes.ts'

export const accountsTag = defineTag('Accounts', 'Passwords, sessions and activation links.')

const NewPassword = Text(1024, {
  minLength: 12,
  description: '12 to 256 characters (code points after NFC).',
  examples: ['correct horse battery staple'],
})

const token = Type.String({
  minLength: 1,
  maxLength: 512,
  description: "Fragment of the link, after '#'.",
  examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
})

/** The account of an activation link. */
export const LinkedAccount = closed({
  email: Type.String({ description: 'E-mail address of the user.', examples: ['ada.berg@example.com'] }),
  organizationName: Type.String({ description: 'Name of its organization.', examples: ['Vestland Additive'] }),
})
export type LinkedAccount = Static<typeof LinkedAccount>

export const introspectActivation = defineOperation({
  id: 'introspectActivation',
  method: 'POST',
  path: '/flows/v1/activations/introspect',
  tag: accountsTag,
  summary: 'Read whose account an activation link is for',
  description: 'Changes nothing. Unknown, used and expired tokens are the same 404.',
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({ token }),
  response: LinkedAccount,
  refusals: ['not_found'],
  noStore: true,
})

export const redeemActivation = defineOperation({
  id: 'redeemActivation',
  method: 'POST',
  path: '/flows/v1/activations',
  tag: accountsTag,
  summary: 'Choose a password with an activation link',
  description:
    'The token of the link works once within 72 hours. Unknown, used and expired tokens are the same 404. People who must sign in by an identity provider get 401.',
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({ token, password: NewPassword }),
  status: 204,
  refusals: ['not_found', 'invalid_credentials'],
  audit: { procedure: 'activation.redeem', request: [] },
  noStore: true,
})

export const changePassword = defineOperation({
  id: 'changePassword',
  method: 'POST',
  path: '/flows/v1/password/change',
  tag: accountsTag,
  summary: 'Change your password',
  description: 'Ends all other sessions of the user.',
  access: 'token',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({
    currentPassword: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'Current password.',
      examples: ['correct horse battery staple'],
    }),
    newPassword: NewPassword,
  }),
  status: 204,
  refusals: ['conflict'],
  audit: { procedure: 'password.change', request: [] },
  changesAuthority: true,
  noIdempotencyKey: true,
})

export const Session = closed({
  id: Type.String({ description: 'Id of the session.', examples: ['sess_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  createdTime: DateTime('Time of the sign-in.'),
  lastUsedTime: DateTime('Time of the last refresh.'),
  expireTime: DateTime('Latest end of the session.'),
  ipAddress: Type.Optional(Type.String({ description: 'IP address of the sign-in.', examples: ['192.0.2.17'] })),
  userAgent: Type.Optional(Type.String({ description: 'Client of the sign-in.', examples: ['curl/8.9.1'] })),
  current: Type.Boolean({ description: 'Whether this is the session of the request.', examples: [true] }),
  impersonation: Type.Optional(
    closed(
      {
        grantId: Type.String({
          description: 'Impersonation grant of the session, with which it ends.',
          examples: ['grant_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
        }),
        actingEmail: Type.String({
          description: 'E-mail address of the acting person.',
          examples: ['erik.solberg@support.example.com'],
        }),
      },
      { description: 'Present only for a session under an impersonation grant.' },
    ),
  ),
})
export type Session = Static<typeof Session>

export const listSessions = defineOperation({
  id: 'listSessions',
  method: 'GET',
  path: '/flows/v1/sessions',
  tag: accountsTag,
  summary: 'List active sessions',
  description:
    'Your own sessions, or with `userId` those of another user of your organization, which needs `user:manage`. Sessions under an impersonation grant contain `impersonation`.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    userId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Only sessions of this user. Default: the caller.',
        examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
  }),
  response: PageOf(Session),
  refusals: ['forbidden'],
})

export const endSession = defineOperation({
  id: 'endSession',
  method: 'POST',
  path: '/flows/v1/sessions/{id}/end',
  tag: accountsTag,
  summary: 'End a session',
  description: 'Your own session, or one of another user of your organization, which needs `user:manage`.',
  access: 'token',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  params: pathParam('id', 'Id of the session.', 'sess_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
  status: 204,
  audit: { procedure: 'session.end', request: ['id'] },
  changesAuthority: true,
})
