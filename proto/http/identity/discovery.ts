import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed } from '../shapes.ts'

const tag = defineTag('Discovery', 'What OAuth clients need to configure themselves and to verify access tokens.')

export const getJwks = defineOperation({
  id: 'getJwks',
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag,
  summary: 'Get the public keys of access tokens',
  access: 'public',
  response: closed({
    keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'JSON Web Keys (RFC 7517), ES256.',
      examples: [[{ kty: 'EC', crv: 'P-256', kid: 'key_01J', use: 'sig', alg: 'ES256' }]],
    }),
  }),
})

const url = (description: string, path: string) =>
  Type.String({ description, examples: [`https://marketplace.example.com${path}`] })
const names = (description: string, example: string[]) =>
  Type.Array(Type.String(), { description, examples: [example] })

/** Members have the names of RFC 8414. */
export const AuthorizationServer = closed({
  issuer: url('Issuer of the access tokens: their `iss`.', ''),
  token_endpoint: url('URL of `createOauthToken`.', '/flows/v1/oauth/token'),
  token_endpoint_auth_methods_supported: names(
    'Authentication of clients: a key of a service account, or `none` for the grants of users.',
    ['client_secret_basic', 'client_secret_post', 'none'],
  ),
  revocation_endpoint: url('URL of `revokeOauthToken`.', '/flows/v1/oauth/revoke'),
  revocation_endpoint_auth_methods_supported: names('Authentication of clients for a revocation.', [
    'client_secret_basic',
    'client_secret_post',
    'none',
  ]),
  introspection_endpoint: url('URL of `introspectOauthToken`.', '/flows/v1/oauth/introspect'),
  introspection_endpoint_auth_methods_supported: names('Authentication of clients for an introspection.', [
    'client_secret_basic',
    'client_secret_post',
  ]),
  jwks_uri: url('URL of the public keys.', '/.well-known/jwks.json'),
  grant_types_supported: names('Grants of the token endpoint.', ['client_credentials', 'password', 'refresh_token']),
  response_types_supported: Type.Array(Type.String(), {
    description: 'Empty, because there is no authorization endpoint.',
    examples: [[]],
  }),
  service_documentation: url('URL of the documentation.', '/docs'),
})
export type AuthorizationServer = Static<typeof AuthorizationServer>

export const getAuthorizationServer = defineOperation({
  id: 'getAuthorizationServer',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  tag,
  summary: 'Get the metadata of the OAuth authorization server',
  description: 'The discovery document of RFC 8414, from which standard OAuth clients configure themselves.',
  access: 'public',
  response: AuthorizationServer,
})
