import { decodeJwt } from 'jose'
import type { createOauthToken, OauthTokenSet } from '../../../proto/http/identity/oauth.ts'
import type { BodyOf } from '../../../proto/http/operation.ts'
import { isApplicable, type Permission } from '../../../proto/permissions.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { findCaller } from '../../kit/auth/queries.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Sql } from '../../kit/db/client.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { type GrantDeps, grantToPerson } from '../tokens/commands.ts'
import { authenticateClient, type ClientDeps } from './client.ts'
import type { ClientCredentials } from './credentials.ts'
import type { ClientRow } from './queries.ts'
import { tokenSeconds } from './rules.ts'

export interface OauthDeps extends GrantDeps {
  clients: ClientDeps
}

interface GrantRequest {
  body: BodyOf<typeof createOauthToken>
  credentials: ClientCredentials | undefined
  auditContext: AuditContext
  signal: AbortSignal
}

/** Answers the token endpoint of RFC 6749. */
export async function grantToken(deps: OauthDeps, request: GrantRequest): Promise<OauthTokenSet> {
  const { grant_type: grantType } = request.body
  if (grantType === 'client_credentials') {
    return deps.countSignIn('client_credentials', () => grantToClient(deps, request))
  }
  if (grantType === 'password' || grantType === 'refresh_token') return grantToUser(deps, grantType, request)
  throw refuse('unsupported_grant_type', {
    detail: 'grant_type must be one of client_credentials, password, refresh_token',
  })
}

async function grantToClient(
  { clients, tokens: { sql, sign, clock, accessTokenSeconds } }: OauthDeps,
  { body, credentials, auditContext, signal }: GrantRequest,
): Promise<OauthTokenSet> {
  if (!credentials) throw refuse('invalid_client', { detail: 'This grant needs a client id and a secret.' })
  const client = await authenticateClient(clients, { credentials, auditContext, signal })
  const seconds = tokenSeconds(client, accessTokenSeconds, clock())
  if (seconds <= 0) throw refuse('invalid_client', { detail: 'The key has expired.' })
  await runWithoutCaller(sql, auditContext, async (_, audit) => {
    audit.actBy({ userId: client.user_id, orgId: client.org_id })
    audit.add({ clientId: client.client_id })
  })
  return {
    access_token: await sign(subjectOf(client), seconds),
    token_type: 'Bearer',
    expires_in: seconds,
    ...(body.scope === undefined ? {} : await scopeOf(sql, client.user_id)),
  }
}

/** The key takes the place of the session in a service account's token, so that revoking the key voids the token. */
const subjectOf = (client: ClientRow) => ({
  userId: client.user_id,
  orgId: client.org_id,
  sessionId: client.client_id,
  sessionVersion: client.session_version,
  clientId: client.client_id,
})

/** Grants a token to a user. Clients of users are not registered, so client authentication is checked, then refused. */
async function grantToUser(
  deps: OauthDeps,
  grantType: 'password' | 'refresh_token',
  { body, credentials, auditContext, signal }: GrantRequest,
): Promise<OauthTokenSet> {
  if (credentials) {
    await authenticateClient(deps.clients, { credentials, auditContext, signal })
    throw refuse('unauthorized_client', { detail: 'Service accounts use the grant client_credentials.' })
  }
  const answer = await grantToPerson(deps, { ...body, grant_type: grantType }, auditContext, signal)
  const { sub = '' } = decodeJwt(answer.access_token)
  return { ...answer, ...(body.scope === undefined ? {} : await scopeOf(deps.tokens.sql, sub)) }
}

/** Returns the permissions in effect. A response to a request with a scope has it (RFC 6749, section 3.3). */
async function scopeOf(sql: Sql, userId: string): Promise<{ scope: string }> {
  const [row] = await findCaller(sql, userId)
  return { scope: scopeText(row?.permissions.filter((key) => isApplicable(key, row)) ?? []) }
}

export const scopeText = (permissions: Iterable<Permission>): string => [...permissions].sort().join(' ')
