import { Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, OneOf } from '../shapes.ts'

const tag = defineTag('Tokens', 'Bearer tokens for every other operation.')

export const TokenRequest = closed(
  {
    grant_type: OneOf(['password', 'refresh_token'], {
      description: 'How the caller proves who they are.',
      examples: ['password'],
    }),
    username: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description: 'E-mail address, matched without case. Required with `password`.',
        examples: ['ada.berg@example.com'],
      }),
    ),
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Required with `password`.',
        examples: ['correct horse battery staple'],
      }),
    ),
    refresh_token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'The refresh token of the last answer. Required with `refresh_token`.',
        examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
      }),
    ),
  },
  { description: 'One of the two grants.' },
)

export const TokenResponse = closed({
  access_token: Type.String({
    description: 'Bearer token for `/v1`, `/v2.3` and `/flows/v1`: a JWT (RFC 9068), signed with ES256.',
    examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c2VyXzAxSiJ9.c2lnbmF0dXJl'],
  }),
  token_type: OneOf(['Bearer'], { description: 'How the token is sent.', examples: ['Bearer'] }),
  expires_in: Type.Integer({ description: 'Life of the access token in seconds.', examples: [900] }),
  refresh_token: Type.String({
    description: 'Obtains a new pair, once, within 14 days; the session ends after 30 days however often it is used.',
    examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
  }),
})

export const createToken = defineOperation({
  id: 'createToken',
  method: 'POST',
  path: '/v2.3/oauth/token',
  tag,
  summary: 'Sign in, or renew a token',
  description:
    'Wrong, unknown and deactivated are one answer. Failures are throttled by account and address. ' +
    'A refresh token works once; using it again later than 10 seconds after ends its session.',
  access: 'public',
  body: TokenRequest,
  response: TokenResponse,
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
    "Ends the session of the calling token: its access and refresh tokens are dead in every service within a second. With `token`, only that token's session ends, if it is one of the caller's own; any other token is answered alike, without effect.",
  access: 'token',
  body: closed({
    token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8192,
        description: 'Another access or refresh token of the same user, whose session is to end.',
        examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
      }),
    ),
  }),
  bodyOptional: true,
  response: closed({ message: Type.String({ description: 'What was done.', examples: ['Token revoked'] }) }),
  audit: { procedure: 'auth.revoke', request: [] },
  noStore: true,
})
