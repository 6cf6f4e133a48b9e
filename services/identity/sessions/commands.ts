import type * as accounts from '../../../proto/http/identity/accounts.ts'
import type * as tokens from '../../../proto/http/identity/tokens.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { ReadToken } from '../../kit/auth/tokens.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf, PreparationOf } from '../../kit/command/command.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { found, notFound } from '../../kit/errors/refusal.ts'
import { hashOf } from '../../kit/secrets/tokens.ts'
import {
  findLiveSession,
  findOwnSessionOfRefreshToken,
  insertRevokedToken,
  listLiveSessionIds,
  markEnded,
} from './queries.ts'
import { mayManageSessions } from './rules.ts'

/** Maximum sessions in one event, so that it fits into a notification of Postgres. */
const MAX_SESSIONS_PER_EVENT = 100

/** Ends sessions and emits the events, in one transaction. */
export async function endSessions(tx: Tx, orgId: string, sessionIds: readonly string[], now: string): Promise<void> {
  if (sessionIds.length === 0) return
  const ended = (await markEnded(tx, sessionIds, now)).map(({ id }) => id)
  for (let from = 0; from < ended.length; from += MAX_SESSIONS_PER_EVENT) {
    const batch = ended.slice(from, from + MAX_SESSIONS_PER_EVENT)
    await emit(tx, {
      type: 'identity.session.revoked',
      tenantId: orgId,
      subject: batch[0] as string,
      data: { sessionIds: batch },
    })
  }
}

interface SessionSelection {
  orgId: string
  userId: string
  /** Session that is kept. */
  except?: string
  /** Only sessions of an earlier version end. */
  beforeVersion?: number
}

/** Ends all sessions of a user except one. */
export async function endSessionsOf(
  tx: Tx,
  { orgId, userId, ...selection }: SessionSelection,
  now: string,
): Promise<void> {
  const live = await listLiveSessionIds(tx, userId, selection)
  await endSessions(
    tx,
    orgId,
    live.map(({ id }) => id),
    now,
  )
}

/** What a revocation ends. */
interface Revocation {
  /** The session that ends; undefined for a token of another user. */
  sessionId?: string | undefined
  /** The token of a service account, which is revoked without its key's other tokens. */
  clientTokenId?: string | undefined
}

/** Finds what to revoke: the caller's session, or that of the token in the body. */
export async function findRevocation(
  deps: { sql: Pool; readToken: ReadToken },
  { caller, body }: PreparationOf<typeof tokens.revokeToken>,
): Promise<Revocation> {
  const named = body?.token === undefined ? caller : await ownSessionOf(deps, caller, body.token)
  // An impersonated caller ends the impersonation session and no session of the user.
  if (caller.act && named.sessionId !== caller.sessionId) return {}
  return { sessionId: named.sessionId, clientTokenId: named.clientTokenId }
}

/** Ends the caller's session, or that of another token of the user. Tokens of other users have no effect. */
export async function revoke({
  tx,
  caller: { orgId },
  sessionId,
  clientTokenId,
  now,
}: CommandOf<typeof tokens.revokeToken> & Revocation): Promise<{ message: string }> {
  if (clientTokenId !== undefined) await endClientToken(tx, { orgId, tokenId: clientTokenId }, now)
  else if (sessionId !== undefined) await endSessions(tx, orgId, [sessionId], now)
  return { message: 'Token revoked' }
}

/** Voids one access token of a service account. False if it was void already. */
export async function endClientToken(
  tx: Tx,
  { orgId, tokenId }: { orgId: string; tokenId: string },
  now: string,
): Promise<boolean> {
  if ((await insertRevokedToken(tx, tokenId, now)).length === 0) return false
  await emit(tx, {
    type: 'identity.token.revoked',
    tenantId: orgId,
    subject: tokenId,
    data: { tokenId },
  })
  return true
}

export const isAccessToken = (token: string) => token.split('.').length === 3

async function ownSessionOf(
  { sql, readToken }: { sql: Pool; readToken: ReadToken },
  caller: Caller,
  token: string,
): Promise<Revocation> {
  // The kind of token is decided by its form alone, so that the look-ups reveal nothing about it.
  if (isAccessToken(token)) {
    const access = await readToken(token)
    return access?.userId === caller.userId ? access : {}
  }
  const [session] = await findOwnSessionOfRefreshToken(sql, caller, hashOf(token))
  return { sessionId: session?.id }
}

export async function endSession({
  tx,
  caller,
  params,
  now,
}: CommandOf<typeof accounts.endSession>): Promise<undefined> {
  const session = found(await findLiveSession(tx, caller.orgId, params.id, now))
  if (!mayManageSessions(caller, session.user_id)) throw notFound()
  await endSessions(tx, caller.orgId, [params.id], now)
  return undefined
}
