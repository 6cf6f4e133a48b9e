import type { AuditContext } from '../../kit/audit/context.ts'
import type { ReadToken } from '../../kit/auth/tokens.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Pool } from '../../kit/db/client.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { hashOf } from '../../kit/secrets/tokens.ts'
import { endClientToken, endSessions, isAccessToken } from '../sessions/commands.ts'
import { authenticateClient, type ClientDeps } from './client.ts'
import type { ClientCredentials } from './credentials.ts'
import { findSessionById, findSessionByRefreshToken } from './queries.ts'

export interface RevocationDeps {
  sql: Pool
  clients: ClientDeps
  readToken: ReadToken
  now: () => string
}

interface RevocationRequest {
  token: string
  credentials: ClientCredentials | undefined
  auditContext: AuditContext
  signal: AbortSignal
}

/**
 * Revokes a token (RFC 7009). The session of a user's token ends without client authentication, because clients of
 * users are not registered. A token of a service account requires the authentication of this account. Tokens of others
 * and unknown tokens have no effect.
 */
export async function revokeToken(
  { sql, clients, readToken, now }: RevocationDeps,
  { token, credentials, auditContext, signal }: RevocationRequest,
): Promise<void> {
  const client = credentials && (await authenticateClient(clients, { credentials, auditContext, signal }))
  const claims = await readToken(token)
  if (claims?.clientTokenId !== undefined) {
    const { userId, orgId, clientTokenId: tokenId } = claims
    if (!client) {
      throw refuse('invalid_client', { detail: 'A token of a service account needs its client id and secret.' })
    }
    if (client.user_id !== userId) return
    await runWithoutCaller(sql, auditContext, async (tx, audit) => {
      if (await endClientToken(tx, { orgId, tokenId }, now())) audit.actBy({ userId, orgId })
    })
    return
  }
  if (client || (isAccessToken(token) && !claims)) return
  await runWithoutCaller(sql, auditContext, async (tx, audit) => {
    const at = now()
    const [session] = claims
      ? await findSessionById(tx, claims.sessionId, at)
      : await findSessionByRefreshToken(tx, hashOf(token), at)
    if (!session) return
    const { id, user_id: userId, org_id: orgId, grant_id: grantId } = session
    await endSessions(tx, orgId, [id], at)
    audit.actBy({ userId, orgId, ...(grantId === null ? {} : { grantId }) })
  })
}
