import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/identity/oauth.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import { authenticateClient } from './client.ts'
import { credentialsOf } from './credentials.ts'
import { type IntrospectionDeps, introspect } from './introspection.ts'
import { type RevocationDeps, revokeToken } from './revocation.ts'
import { grantToken, type OauthDeps } from './tokens.ts'

interface Deps {
  http: Http
  grants: OauthDeps
  revocation: RevocationDeps
  introspection: IntrospectionDeps
}

export const oauthRoutes = ({ http, grants, revocation, introspection }: Deps) =>
  new Elysia({ name: 'identity.oauth' })
    .use(
      http.publicRoute(operations.createOauthToken, ({ body, request, auditContext }) =>
        grantToken(grants, { body, credentials: credentialsOf(request, body), auditContext, signal: request.signal }),
      ),
    )
    .use(
      http.publicRoute(operations.revokeOauthToken, async ({ body, request, auditContext }) => {
        const credentials = credentialsOf(request, body)
        await revokeToken(revocation, { token: body.token, credentials, auditContext, signal: request.signal })
        // RFC 7009 answers 200, whose body clients ignore.
        return new Raw(null, 'application/json')
      }),
    )
    .use(
      http.publicRoute(operations.introspectOauthToken, async ({ body, request, auditContext }) => {
        const credentials = credentialsOf(request, body)
        if (!credentials) throw refuse('invalid_client', { detail: 'This needs a client id and a secret.' })
        const client = await authenticateClient(grants.clients, { credentials, auditContext, signal: request.signal })
        return introspect(introspection, body.token, client.org_id)
      }),
    )
