import { Elysia } from 'elysia'
import { type AuthorizationServer, getAuthorizationServer, getJwks } from '../../../proto/http/identity/discovery.ts'
import { createToken, revokeToken, TokenRequest } from '../../../proto/http/identity/tokens.ts'
import { listPublicKeys } from '../../kit/auth/queries.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { Http } from '../../kit/http/http.ts'

export const keyRoutes = ({ http, sql, publicUrl }: { http: Http; sql: Pool; publicUrl: string }) =>
  new Elysia({ name: 'identity.keys' })
    .use(http.publicRoute(getJwks, async () => ({ keys: (await listPublicKeys(sql)).map((row) => row.public_jwk) })))
    .use(http.publicRoute(getAuthorizationServer, () => authorizationServer(publicUrl)))

const authorizationServer = (issuer: string): AuthorizationServer => ({
  issuer,
  token_endpoint: `${issuer}${createToken.path}`,
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint: `${issuer}${revokeToken.path}`,
  revocation_endpoint_auth_methods_supported: ['none'],
  jwks_uri: `${issuer}${getJwks.path}`,
  grant_types_supported: [...TokenRequest.properties.grant_type.enum],
  response_types_supported: [],
  service_documentation: `${issuer}/docs`,
})
