import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed, OneOf } from '../shapes.ts'

const tag = defineTag(
  'OAuth',
  'The endpoints of OAuth 2.0 as its standards describe them, for client libraries: forms, and errors of the form `{error, error_description}`. The metadata at `/.well-known/oauth-authorization-server` names them.',
)

export const GRANT_TYPES = ['client_credentials', 'password', 'refresh_token'] as const

const text = (maxLength: number, description: string, example: string) =>
  Type.Optional(Type.String({ maxLength, description, examples: [example] }))

const client = {
  client_id: text(
    256,
    'Client id of a key of a service account, unless it is sent by Basic.',
    'sak_01JZ8Q4D3R1G5M7VJ0T6W2X9YB',
  ),
  client_secret: text(
    256,
    'Client secret of the key, unless it is sent by Basic.',
    'mkt_7Kp2vQ9xB1nR4tY8wE5uI3oP6aS0dF7gH2jK9lZ4xC1v1Qz8Xk',
  ),
}

const token = Type.String({
  minLength: 1,
  description: 'An access token or a refresh token.',
  examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c2VyXzAxSiJ9.c2lnbmF0dXJl'],
})
const token_type_hint = text(100, 'Kind of the token. Optional: the token is found without it.', 'access_token')

export const OauthGrant = closed(
  {
    // A TypeBox string does not check `enum`: the command tells an unknown grant from a missing one.
    grant_type: Type.String({
      minLength: 1,
      enum: [...GRANT_TYPES],
      description: 'Type of the grant.',
      examples: ['client_credentials'],
    }),
    ...client,
    username: text(320, 'E-mail address. Required for the grant `password`.', 'ada.berg@example.com'),
    password: text(1024, 'Password. Required for the grant `password`.', 'correct horse battery staple'),
    refresh_token: text(
      1024,
      'Refresh token of the last response. Required for the grant `refresh_token`.',
      'mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E',
    ),
    scope: text(1024, 'Restricts nothing. If sent, the response contains `scope`.', 'part:create'),
  },
  { description: 'A request of RFC 6749, sections 4.3.2, 4.4.2 and 6.' },
)

const scope = Type.Optional(
  Type.String({
    description: 'The permissions in effect, separated by spaces.',
    examples: ['part:create part:update'],
  }),
)

export const OauthTokenSet = closed(
  {
    access_token: Type.String({
      description: 'Bearer token for `/v1`, `/v2.3` and `/flows/v1`: a JWT (RFC 9068), signed with ES256.',
      examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c2VyXzAxSiJ9.c2lnbmF0dXJl'],
    }),
    token_type: OneOf(['Bearer'], { description: 'Type of the token.', examples: ['Bearer'] }),
    expires_in: Type.Integer({ description: 'Lifetime of the access token, in seconds.', examples: [900] }),
    refresh_token: Type.Optional(
      Type.String({
        description: 'Token for one refresh within 14 days. A service account has none: it requests a new token.',
        examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
      }),
    ),
    scope,
  },
  { description: 'A response of RFC 6749, section 5.1.' },
)
export type OauthTokenSet = Static<typeof OauthTokenSet>

const common = {
  method: 'POST',
  tag,
  access: 'public',
  form: 'required',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  noStore: true,
} as const

export const createOauthToken = defineOperation({
  ...common,
  id: 'createOauthToken',
  path: '/flows/v1/oauth/token',
  summary: 'Obtain a token',
  description:
    'The token endpoint of RFC 6749. `client_credentials` is for service accounts, whose client id and secret are sent by Basic or in the form, never both. `password` and `refresh_token` are for users, as at `POST /v2.3/oauth/token`, and have no client authentication. Failures are throttled.',
  client: 'accepted',
  body: OauthGrant,
  response: OauthTokenSet,
  refusals: ['invalid_credentials', 'unauthorized_client', 'unsupported_grant_type'],
  audit: { procedure: 'auth.signIn', request: ['grant_type'] },
})

export const revokeOauthToken = defineOperation({
  ...common,
  id: 'revokeOauthToken',
  path: '/flows/v1/oauth/revoke',
  summary: 'Revoke a token',
  description:
    "The revocation endpoint of RFC 7009. Revoking a user's token ends its session. Revoking an access token of a service account ends only that token, and needs the authentication of one of the account's keys; to end all its tokens, revoke the key. Unknown tokens, and those of others, get the same response without effect.",
  client: 'accepted',
  body: closed({ token, token_type_hint, ...client }),
  audit: { procedure: 'auth.revoke', request: [] },
})

export const TokenIntrospection = closed(
  {
    active: Type.Boolean({ description: 'Whether a service would accept the token now.', examples: [true] }),
    scope,
    client_id: Type.Optional(
      Type.String({
        description: 'Key of the service account; `marketplace` for a token of a person.',
        examples: ['sak_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
    token_type: Type.Optional(OneOf(['Bearer'], { description: 'Type of the token.', examples: ['Bearer'] })),
    exp: Type.Optional(
      Type.Integer({ description: 'Expiry of the token, in seconds since 1970.', examples: [1_777_454_700] }),
    ),
    iat: Type.Optional(
      Type.Integer({
        description: 'Time at which the token was issued, in seconds since 1970.',
        examples: [1_777_453_800],
      }),
    ),
    sub: Type.Optional(Type.String({ description: 'The user.', examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] })),
    aud: Type.Optional(Type.String({ description: 'Audience of the token.', examples: ['marketplace'] })),
    iss: Type.Optional(
      Type.String({ description: 'Issuer of the token.', examples: ['https://marketplace.example.com'] }),
    ),
    jti: Type.Optional(
      Type.String({ description: 'Id of the token.', examples: ['0d5bb6a6-7d5c-4a63-9c0c-3a8b7d3f4f10'] }),
    ),
    org: Type.Optional(
      Type.String({ description: 'Organization of the user.', examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    ),
    act: Type.Optional(
      closed(
        {
          sub: Type.String({ description: 'Who acts as the user.', examples: ['support@example.com'] }),
          grant: Type.String({ description: 'Impersonation grant.', examples: ['grant_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
        },
        { description: 'Present under an impersonation grant.' },
      ),
    ),
  },
  { description: 'A response of RFC 7662. For an inactive token it contains only `active`.' },
)
export type TokenIntrospection = Static<typeof TokenIntrospection>

export const introspectOauthToken = defineOperation({
  ...common,
  id: 'introspectOauthToken',
  path: '/flows/v1/oauth/introspect',
  summary: 'Introspect a token',
  description:
    'The introspection endpoint of RFC 7662, for gateways: whether an access token of your organization is valid now, and with which permissions. It needs the authentication of a service account. Refresh tokens and tokens of other organizations are inactive.',
  client: 'required',
  body: closed({ token, token_type_hint, ...client }),
  response: TokenIntrospection,
  audit: { procedure: 'auth.signIn', request: [], refusalsOnly: true },
})
