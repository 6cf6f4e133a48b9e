import type { SessionsRevoked } from '../../../proto/events/identity.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { type EventAttributes, emit } from '../../kit/bus/outbox/emit.ts'
import type { Command } from '../../kit/command/command.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { hashOf } from '../../kit/db/ids.ts'
import { found, notFound } from '../../kit/errors/refusal.ts'
import { findLiveSession, findOwnSessionOfRefreshToken, listLiveSessionIds, markEnded } from './queries.ts'
import { mayManageSessions } from './rules.ts'

/** Maximum sessions in one event, so that it fits into a notification of Postgres. */
const MAX_SESSIONS_PER_EVENT = 100

/** Ends sessions and emits the events, in one transaction. */
export async function endSessions(tx: Tx, orgId: string, sessionIds: readonly string[], now: string): Promise<void> {
  const ended = (await markEnded(tx, sessionIds, now)).map(({ id }) => id)
  for (let from = 0; from < ended.length; from += MAX_SESSIONS_PER_EVENT) {
    const batch = ended.slice(from, from + MAX_SESSIONS_PER_EVENT)
    await emit(tx, {
      type: 'identity.session.revoked',
      tenantId: orgId,
      subject: batch[0] as string,
      data: { sessionIds: batch },
    } satisfies SessionsRevoked & EventAttributes)
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

/** Reads the session of an access token, expired or not. Undefined for any other text. */
export type ReadToken = (token: string) => Promise<{ sessionId: string; userId: string } | undefined>

interface SessionToRevoke {
  /** The session that ends; undefined for a token of another user. */
  sessionId: string | undefined
}

/** Finds the session to revoke: the caller's, or that of the token in the body. */
export async function findSessionToRevoke(
  deps: { sql: Pool; readToken: ReadToken },
  { caller, body }: { caller: Caller; body: { token?: string } | undefined },
): Promise<SessionToRevoke> {
  const sessionId = body?.token === undefined ? caller.sessionId : await ownSessionOf(deps, caller, body.token)
  // An impersonated caller ends the impersonation session and no session of the user.
  return { sessionId: caller.act && sessionId !== caller.sessionId ? undefined : sessionId }
}

/** Ends the caller's session, or that of another token of the user. Tokens of other users have no effect. */
export async function revoke({ tx, caller, sessionId, now }: Command<SessionToRevoke>): Promise<{ message: string }> {
  if (sessionId !== undefined) await endSessions(tx, caller.orgId, [sessionId], now)
  return { message: 'Token revoked' }
}

const isAccessToken = (token: string) => token.split('.').length === 3

async function ownSessionOf(
  { sql, readToken }: { sql: Pool; readToken: ReadToken },
  caller: Caller,
  token: string,
): Promise<string | undefined> {
  // The kind of token is decided by its form alone, so that the look-ups reveal nothing about it.
  if (isAccessToken(token)) {
    const access = await readToken(token)
    return access?.userId === caller.userId ? access.sessionId : undefined
  }
  const [session] = await findOwnSessionOfRefreshToken(sql, caller, hashOf(token))
  return session?.id
}

export async function endSession({ tx, caller, params, now }: Command<{ params: { id: string } }>): Promise<undefined> {
  const session = found(await findLiveSession(tx, caller.orgId, params.id, now))
  if (!mayManageSessions(caller, session.user_id)) throw notFound()
  await endSessions(tx, caller.orgId, [params.id], now)
  return undefined
}
