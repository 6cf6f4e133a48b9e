import { Elysia } from 'elysia'
import { type AuthorizationServer, getAuthorizationServer, getJwks } from '../../../proto/http/identity/discovery.ts'
import {
  createOauthToken,
  GRANT_TYPES,
  introspectOauthToken,
  revokeOauthToken,
} from '../../../proto/http/identity/oauth.ts'
import { listPublicKeys } from '../../kit/auth/queries.ts'
import type { Http } from '../../kit/http/http.ts'
import type { PublishedKeys } from './published.ts'

interface KeyDeps {
  http: Http
  publicUrl: string
  published: PublishedKeys
}

export const keyRoutes = ({ http, publicUrl, published }: KeyDeps) =>
  new Elysia({ name: 'identity.keys' })
    .use(http.publicRoute(getJwks, ({ read }) => published.read(() => read(listPublicKeys))))
    .use(http.publicRoute(getAuthorizationServer, () => authorizationServer(publicUrl)))

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post']

const authorizationServer = (issuer: string): AuthorizationServer => ({
  issuer,
  token_endpoint: `${issuer}${createOauthToken.path}`,
  token_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
  revocation_endpoint: `${issuer}${revokeOauthToken.path}`,
  revocation_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
  introspection_endpoint: `${issuer}${introspectOauthToken.path}`,
  introspection_endpoint_auth_methods_supported: SECRET_METHODS,
  jwks_uri: `${issuer}${getJwks.path}`,
  grant_types_supported: [...GRANT_TYPES],
  response_types_supported: [],
  service_documentation: `${issuer}/docs`,
})
