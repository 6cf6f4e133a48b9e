import { Type } from '@sinclair/typebox'
import { defineOperation, defineTag, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed, OneOf } from '../shapes.ts'

/** Live sessions of one user. */
export const MAX_SESSIONS = 1000

const tag = defineTag('Tokens', 'Bearer tokens for every other operation.')

export const TokenGrant = closed(
  {
    grant_type: OneOf(['password', 'refresh_token'], {
      description: 'Type of the grant.',
      examples: ['password'],
    }),
    username: Type.Optional(
      Type.String({
        maxLength: 320,
        description: 'E-mail address, case-insensitive. Required for the grant `password`.',
        examples: ['ada.berg@example.com'],
      }),
    ),
    password: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'Password. Required for the grant `password`.',
        examples: ['correct horse battery staple'],
      }),
    ),
    refresh_token: Type.Optional(
      Type.String({
        description: 'Refresh token of the last response. Required for the grant `refresh_token`.',
        examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
      }),
    ),
  },
  { description: 'A password grant or a refresh token grant. Fields of the other grant are ignored.' },
)

export const TokenSet = closed({
  access_token: Type.String({
    description: 'Bearer token for `/v1`, `/v2.3` and `/flows/v1`: a JWT (RFC 9068), signed with ES256.',
    examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c2VyXzAxSiJ9.c2lnbmF0dXJl'],
  }),
  token_type: OneOf(['Bearer'], { description: 'Type of the token.', examples: ['Bearer'] }),
  expires_in: Type.Integer({ description: 'Lifetime of the access token, in seconds.', examples: [900] }),
  refresh_token: Type.String({
    description: 'Token for one refresh within 14 days. The session ends after 30 days at the latest.',
    examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
  }),
})

export const createToken = defineOperation({
  id: 'createToken',
  method: 'POST',
  path: '/v2.3/oauth/token',
  tag,
  summary: 'Sign in or refresh a token',
  description:
    'A wrong password, an unknown user and an inactive user get the same response. Failures are throttled by account and ' +
    'IP address. A refresh token works once. Its reuse after more than 10 seconds ends the session. The grant `password` needs `username` and `password`, the grant `refresh_token` needs `refresh_token`; fields of the other grant are ignored. ' +
    `A user has at most ${MAX_SESSIONS} sessions: a further one ends the oldest.`,
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: TokenGrant,
  form: 'accepted',
  response: TokenSet,
  refusals: ['invalid_credentials'],
  audit: { procedure: 'auth.signIn', request: ['grant_type'] },
  noStore: true,
})

export const revokeToken = defineOperation({
  id: 'revokeToken',
  method: 'POST',
  path: '/v2.3/oauth/revoke',
  tag,
  summary: 'End a session',
  description:
    'Ends the session of the request; its access and refresh tokens are void in every service within a second. With `token`, ends the session of that token instead, if it belongs to the same user; other tokens get the same response without effect.',
  access: 'token',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({
    token: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Access or refresh token of another session of the same user.',
        examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
      }),
    ),
  }),
  bodyOptional: true,
  form: 'accepted',
  response: closed({ message: Type.String({ description: 'Confirmation.', examples: ['Token revoked'] }) }),
  audit: { procedure: 'auth.revoke', request: [] },
  noStore: true,
  noIdempotencyKey: true,
})
