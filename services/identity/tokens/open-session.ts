import { timeAt } from '../../../proto/durations.ts'
import type { SignInTokenSet } from '../../../proto/http/identity/sign-in.ts'
import { MAX_SESSIONS } from '../../../proto/http/identity/tokens.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import type { AuditEntry } from '../../kit/audit/entry.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { isRefusalOf, refuse } from '../../kit/errors/refusal.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import type { Signer, TokenSubject } from '../keys/signer.ts'
import type { Hashing } from '../passwords/hashing.ts'
import { endSessions } from '../sessions/commands.ts'
import { listOlderSessionIds } from '../sessions/queries.ts'
import { findUnchanged, insertRefreshToken, insertSession, type SessionMethod } from './queries.ts'
import { REFRESH_IDLE_MS, SESSION_MS } from './rules.ts'

export interface TokenDeps {
  sql: Pool
  sign: Signer
  hashing: Hashing
  /** Dummy hash: an unknown account takes as long as a known one. */
  dummyHash: string
  /** Secret from which successors of refresh tokens are derived. */
  refreshSecret: Uint8Array
  accessTokenSeconds: number
  clock: () => number
}

/** The subject of the tokens, and during an impersonation the acting person and the end. */
export interface TokenHolder extends TokenSubject {
  endsAt?: string
}

/** A pair of tokens. The access token of an impersonation expires with its grant. */
export async function tokensOf(
  { sign, accessTokenSeconds, clock }: TokenDeps,
  { endsAt, ...subject }: TokenHolder,
  refreshToken: string,
) {
  const remainingSeconds = endsAt === undefined ? accessTokenSeconds : Math.floor((Date.parse(endsAt) - clock()) / 1000)
  const seconds = Math.max(0, Math.min(accessTokenSeconds, remainingSeconds))
  return {
    access_token: await sign(subject, seconds),
    token_type: 'Bearer' as const,
    expires_in: seconds,
    refresh_token: refreshToken,
  }
}

/** A user who has proved who they are. */
interface SignedInUser {
  user_id: string
  org_id: string
  session_version: number
}

interface Opening {
  method: SessionMethod
  auditContext: AuditContext
  /** What else happens in the transaction. */
  within?: (tx: Tx, now: string, audit: AuditEntry) => PromiseLike<unknown>
}

/** Opens a session unless the user was deactivated or reset since the version was read. Every sign-in ends here. */
export async function openSession(deps: TokenDeps, user: SignedInUser, { method, auditContext, within }: Opening) {
  const nowMs = deps.clock()
  const now = timeAt(nowMs)
  const { user_id: userId, org_id: orgId, session_version: sessionVersion } = user
  const { ipAddress, userAgent } = auditContext
  const sessionId = newIdAt('sess', now)
  const refreshToken = newSecretToken()
  const session = { id: sessionId, userId, orgId, sessionVersion, method, expiresAt: timeAt(nowMs + SESSION_MS) }
  await runWithoutCaller(deps.sql, auditContext, async (tx, audit) => {
    // The statements are pipelined, because the round trips would cost more than the statements.
    const [unchanged, , , surplus] = await Promise.all([
      findUnchanged(tx, userId, sessionVersion),
      insertSession(tx, { ...session, ipAddress, userAgent }, now),
      insertRefreshToken(tx, { hash: refreshToken.hash, sessionId, expiresAt: timeAt(nowMs + REFRESH_IDLE_MS) }, now),
      listOlderSessionIds(tx, userId, MAX_SESSIONS),
      within?.(tx, now, audit),
    ])
    if (unchanged.length === 0) throw refuse('invalid_credentials', { detail: 'The credentials are not valid.' })
    await endSessions(
      tx,
      orgId,
      surplus.map(({ id }) => id),
      now,
    )
    audit.actBy({ userId, orgId })
  })
  return tokensOf(deps, { userId, orgId, sessionId, sessionVersion }, refreshToken.token)
}

/** Opens the session of a sign-in. `refuseFor` audits and refuses that of a user who changed meanwhile. */
export async function openSignIn(
  deps: TokenDeps,
  user: SignedInUser & { email: string },
  opening: Opening,
  refuseFor: (reason: string) => Promise<never>,
): Promise<SignInTokenSet> {
  const tokens = await openSession(deps, user, opening).catch((error) => {
    if (isRefusalOf(error, 'invalid_credentials')) return refuseFor('user_changed')
    throw error
  })
  return { ...tokens, email: user.email }
}
