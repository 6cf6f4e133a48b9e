import { emailSpelling } from '../../kit/addresses/email-spelling.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordRefusal } from '../../kit/audit/record.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Pool } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { isRefusalOf, refuse } from '../../kit/errors/refusal.ts'
import { hashOf, newSecretToken } from '../../kit/secrets/tokens.ts'
import type { Signer, TokenSubject } from '../keys/signer.ts'
import type { Hashing } from '../passwords/hashing.ts'
import { endSessions } from '../sessions/commands.ts'
import { type ThrottleKeys, throttleKeys } from '../throttle/keys.ts'
import { clearFailures } from '../throttle/queries.ts'
import { refuseThrottled } from '../throttle/throttle.ts'
import { actorOf, recordFailure } from './failures.ts'
import {
  findRefreshToken,
  findSignIn,
  findUnchanged,
  insertRefreshToken,
  insertSession,
  type RefreshedRow,
  rotateRefreshToken,
  type SignInRow,
  upgradeHash,
} from './queries.ts'
import { classifyUsedToken, REFRESH_IDLE_MS, SESSION_MS } from './rules.ts'

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

interface Credentials {
  username: string
  password: string
}

const withReason = (audit: AuditContext, reason: string) => ({ ...audit, request: { ...audit.request, reason } })

const wrongCredentials = () => refuse('invalid_credentials', { detail: 'The credentials are not valid.' })

/**
 * Signs a user in. The throttle is checked before the wait for a hashing slot, so that a refused guess does not fill
 * the queue, and again inside the slot, so that of many simultaneous guesses only as many as there are slots pass it
 * before the first failure is counted.
 */
export async function signIn(
  deps: TokenDeps,
  { username, password }: Credentials,
  audit: AuditContext,
  signal: AbortSignal,
) {
  const { sql, hashing, clock } = deps
  const name = emailSpelling(username)
  const keys = throttleKeys(name, audit.ipAddress)
  await refuseThrottled(sql, keys, isoOf(clock()))
  return hashing.withSlot({ ipAddress: audit.ipAddress, signal }, async () => {
    const now = isoOf(clock())
    const [, [user]] = await Promise.all([refuseThrottled(sql, keys, now), findSignIn(sql, name)])
    const usable = user?.active && user.current && !user.enforced ? user.password_hash : null
    const matches = await hashing.verify(password, usable ?? deps.dummyHash)
    if (!user || usable === null || !matches) {
      hashing.countFailure(audit.ipAddress)
      const reasoned = user?.enforced ? withReason(audit, 'identity_provider_enforced') : audit
      await recordFailure(sql, { keys, user, audit: reasoned, code: 'invalid_credentials' }, now)
      throw wrongCredentials()
    }
    if (hashing.isOutdated(usable)) await upgradeHash(sql, user.user_id, usable, await hashing.hash(password))
    const tokens = await openSession(deps, user, keys, audit).catch(async (error) => {
      const failure = { keys, user, audit, code: 'invalid_credentials' as const }
      if (isRefusalOf(error, 'invalid_credentials')) await recordFailure(sql, failure, now)
      throw error
    })
    hashing.remember(audit.ipAddress, user.org_id)
    return tokens
  })
}

/** Opens a session unless the user was deactivated or reset while the password was hashed. */
async function openSession(deps: TokenDeps, user: SignInRow, keys: ThrottleKeys, context: AuditContext) {
  const nowMs = deps.clock()
  const now = isoOf(nowMs)
  const sessionId = newIdAt('sess', now)
  const refreshToken = newSecretToken()
  await runWithoutCaller(deps.sql, context, async (tx, audit) => {
    // The statements are pipelined, because the round trips would cost more than the statements.
    const [unchanged] = await Promise.all([
      findUnchanged(tx, user.user_id, user.session_version),
      insertSession(
        tx,
        {
          id: sessionId,
          userId: user.user_id,
          orgId: user.org_id,
          sessionVersion: user.session_version,
          expiresAt: isoOf(nowMs + SESSION_MS),
          ipAddress: context.ipAddress,
          userAgent: context.userAgent,
        },
        now,
      ),
      insertRefreshToken(tx, { hash: refreshToken.hash, sessionId, expiresAt: isoOf(nowMs + REFRESH_IDLE_MS) }, now),
      clearFailures(tx, keys),
    ])
    if (unchanged.length === 0) throw wrongCredentials()
    audit.actBy({ userId: user.user_id, orgId: user.org_id })
  })
  const { user_id: userId, org_id: orgId, session_version: sessionVersion } = user
  return tokensOf(deps, { userId, orgId, sessionId, sessionVersion }, refreshToken.token)
}

/**
 * Rotates a refresh token. The successor is derived from it, so a client that lost the response gets the same successor
 * again within ten seconds, although only hashes are stored. A later reuse ends the session, because the token was
 * stolen.
 */
export async function refresh(deps: TokenDeps, token: string, audit: AuditContext) {
  const { sql, clock } = deps
  const nowMs = clock()
  const now = isoOf(nowMs)
  const successor = successorOf(token, deps.refreshSecret)
  const used = hashOf(token)
  const [rotated] = await rotateRefreshToken(
    sql,
    { used, successor: hashOf(successor), idleUntil: isoOf(nowMs + REFRESH_IDLE_MS) },
    now,
  )
  const row = rotated ?? (await repeatedOrRefused(deps, used, audit, nowMs))
  return tokensOf(deps, subjectOf(row), successor)
}

async function repeatedOrRefused({ sql }: TokenDeps, hash: Uint8Array, audit: AuditContext, nowMs: number) {
  const now = isoOf(nowMs)
  const [row] = await findRefreshToken(sql, hash, now)
  const use = classifyUsedToken(row && { usedAt: row.used_at, live: row.live }, nowMs)
  if (row && use === 'repeat') return row
  if (row && use === 'reuse') {
    await sql.begin((tx) => endSessions(tx, row.org_id, [row.session_id], now))
    const grantId = row.grant_id ?? undefined
    const reuse = { ...audit, ...actorOf(row), grantId, procedure: 'auth.refreshReuse' as const }
    await recordRefusal(sql, reuse, 'invalid_credentials')
  }
  throw wrongCredentials()
}

/** The subject of the tokens, and during an impersonation the acting person and the end. */
interface TokenHolder extends TokenSubject {
  endsAt?: string
}

const subjectOf = (row: RefreshedRow): TokenHolder => ({
  userId: row.user_id,
  orgId: row.org_id,
  sessionId: row.session_id,
  sessionVersion: row.session_version,
  ...(row.grant_id !== null && row.acting_email !== null
    ? { act: { actingEmail: row.acting_email, grantId: row.grant_id }, endsAt: row.expires_at }
    : {}),
})

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

const successorOf = (token: string, secret: Uint8Array) =>
  new Bun.CryptoHasher('sha256', secret).update(token).digest('base64url')

const isoOf = (ms: number) => new Date(ms).toISOString()
