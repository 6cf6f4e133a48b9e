import { timeAt } from '../../../proto/durations.ts'
import type { createToken } from '../../../proto/http/identity/tokens.ts'
import type { BodyOf } from '../../../proto/http/operation.ts'
import { emailSpelling } from '../../kit/addresses/email-spelling.ts'
import { type AuditContext, withRequestFields } from '../../kit/audit/context.ts'
import { recordRefusal } from '../../kit/audit/record.ts'
import { findUserOf } from '../../kit/auth/grantors.ts'
import type { Tx } from '../../kit/db/client.ts'
import { isRefusalOf, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { hashOf } from '../../kit/secrets/tokens.ts'
import { findPasswordHash, lockPassword, replacePassword } from '../passwords/queries.ts'
import { endSessions } from '../sessions/commands.ts'
import { type ThrottleKeys, throttleKeys } from '../throttle/keys.ts'
import { clearFailures } from '../throttle/queries.ts'
import { refuseThrottled } from '../throttle/throttle.ts'
import { actorOf, recordFailure } from './failures.ts'
import type { CountSignIn } from './metrics.ts'
import { openSession, type TokenDeps, type TokenHolder, tokensOf } from './open-session.ts'
import { findRefreshToken, findSignIn, type RefreshedRow, rotateRefreshToken, type SignInRow } from './queries.ts'
import { classifyUsedToken, missingFields, REFRESH_IDLE_MS } from './rules.ts'

interface Credentials {
  username: string
  password: string
}

const wrongCredentials = () => refuse('invalid_credentials', { detail: 'The credentials are not valid.' })

export interface GrantDeps {
  tokens: TokenDeps
  countSignIn: CountSignIn
}

/** Grants tokens for a password or for a refresh token. */
export function grantToPerson(
  { tokens, countSignIn }: GrantDeps,
  body: BodyOf<typeof createToken>,
  auditContext: AuditContext,
  signal: AbortSignal,
) {
  const missing = missingFields(body)
  requireValid(missing)
  const { grant_type: grantType, username = '', password = '', refresh_token: token = '' } = body
  return countSignIn(grantType, () =>
    grantType === 'password'
      ? signIn(tokens, { username, password }, auditContext, signal)
      : refresh(tokens, token, auditContext),
  )
}

/** Signs a user in by the password alone, which is not enough where a second factor is required. */
export const signIn = (deps: TokenDeps, credentials: Credentials, auditContext: AuditContext, signal: AbortSignal) =>
  withPassword(deps, credentials, { auditContext, signal, isFirstStep: false }, (checked) =>
    openPasswordSession(deps, checked, auditContext),
  )

/** Opens the session of a right password, unless the password has changed since it was checked. */
export function openPasswordSession(
  deps: TokenDeps,
  { user, passwordHash, keys }: CheckedUser,
  auditContext: AuditContext,
) {
  const within = async (tx: Tx) => {
    const [locked] = await Promise.all([lockPassword(tx, user.user_id, passwordHash), clearFailures(tx, keys)])
    if (locked.length === 0) throw wrongCredentials()
  }
  return openSession(deps, user, { method: 'PASSWORD', auditContext, within })
}

interface PasswordCheck {
  auditContext: AuditContext
  signal: AbortSignal
  /** Whether a second factor may follow. Otherwise the password of a person who needs one is wrong. */
  isFirstStep: boolean
}

/** A user whose password is right. */
export interface CheckedUser {
  user: SignInRow
  /** The hash that is stored. */
  passwordHash: string
  keys: ThrottleKeys
}

/**
 * Goes on for the user of a right password. The throttle is checked before the wait for a hashing slot, so that a
 * refused guess does not fill the queue, and again inside the slot, so that of many simultaneous guesses only as many
 * as there are slots pass it before the first failure is counted.
 */
export async function withPassword<Answer>(
  deps: TokenDeps,
  { username, password }: Credentials,
  { auditContext, signal, isFirstStep }: PasswordCheck,
  goOn: (checked: CheckedUser) => Promise<Answer>,
): Promise<Answer> {
  const { sql, hashing, clock } = deps
  const name = emailSpelling(username)
  const keys = throttleKeys(name, auditContext.ipAddress)
  await refuseThrottled(sql, keys, timeAt(clock()))
  return hashing.withSlot({ ipAddress: auditContext.ipAddress, signal }, async () => {
    const now = timeAt(clock())
    const [, [user]] = await Promise.all([refuseThrottled(sql, keys, now), findSignIn(sql, name)])
    const excluded = user && excludedBy(user, isFirstStep)
    const usable = user?.active && user.current && !excluded ? user.password_hash : null
    const matches = await hashing.verify(password, usable ?? deps.dummyHash)
    if (!user || usable === null || !matches) {
      hashing.countFailure(auditContext.ipAddress)
      const reasoned = excluded ? withRequestFields(auditContext, { reason: excluded }) : auditContext
      await recordFailure(sql, { keys, user, auditContext: reasoned, code: 'invalid_credentials' }, now)
      throw wrongCredentials()
    }
    const passwordHash = await upgradedHash(deps, user.user_id, password, usable)
    const answer = await goOn({ user, passwordHash, keys }).catch(async (error) => {
      const failure = { keys, user, auditContext, code: 'invalid_credentials' as const }
      if (isRefusalOf(error, 'invalid_credentials')) await recordFailure(sql, failure, now)
      throw error
    })
    hashing.remember(auditContext.ipAddress, user.org_id)
    return answer
  })
}

/** The hash that is stored for a right password after its upgrade. A concurrent sign-in may have upgraded it first. */
async function upgradedHash({ sql, hashing }: TokenDeps, userId: string, password: string, hash: string) {
  if (!hashing.isOutdated(hash)) return hash
  const upgraded = await hashing.hash(password)
  if ((await replacePassword(sql, { userId, oldHash: hash, newHash: upgraded })).length > 0) return upgraded
  const [stored] = await findPasswordHash(sql, userId)
  return stored && (await hashing.verify(password, stored.password_hash)) ? stored.password_hash : hash
}

/** Why the password of a user opens nothing, right or wrong. */
function excludedBy({ enforced, second_factor }: SignInRow, isFirstStep: boolean): string | undefined {
  if (enforced) return 'identity_provider_enforced'
  return second_factor && !isFirstStep ? 'second_factor_required' : undefined
}

/**
 * Rotates a refresh token. The successor is derived from it, so a client that lost the response gets the same successor
 * again within ten seconds, although only hashes are stored. A later reuse ends the session, because the token was
 * stolen. An impersonation ends where the grantor lacks a permission of the user.
 */
async function refresh(deps: TokenDeps, token: string, auditContext: AuditContext) {
  const { sql, clock } = deps
  const nowMs = clock()
  const now = timeAt(nowMs)
  const successor = successorOf(token, deps.refreshSecret)
  const used = hashOf(token)
  const [rotated] = await rotateRefreshToken(
    sql,
    { used, successor: hashOf(successor), idleUntil: timeAt(nowMs + REFRESH_IDLE_MS) },
    now,
  )
  const row = rotated ?? (await repeatedOrRefused(deps, used, auditContext, nowMs))
  const subject = subjectOf(row)
  if (subject.act && !(await findUserOf(sql, subject))) {
    await sql.begin((tx) => endSessions(tx, row.org_id, [row.session_id], now))
    throw wrongCredentials()
  }
  return tokensOf(deps, subject, successor)
}

async function repeatedOrRefused({ sql }: TokenDeps, hash: Uint8Array, auditContext: AuditContext, nowMs: number) {
  const now = timeAt(nowMs)
  const [row] = await findRefreshToken(sql, hash, now)
  const use = classifyUsedToken(row && { usedAt: row.used_at, live: row.live }, nowMs)
  if (row && use === 'repeat') return row
  if (row && use === 'reuse') {
    await sql.begin((tx) => endSessions(tx, row.org_id, [row.session_id], now))
    const grantId = row.grant_id ?? undefined
    const reuse = { ...auditContext, ...actorOf(row), grantId, procedure: 'auth.refreshReuse' as const }
    await recordRefusal(sql, reuse, 'invalid_credentials')
  }
  throw wrongCredentials()
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

const successorOf = (token: string, secret: Uint8Array) =>
  new Bun.CryptoHasher('sha256', secret).update(token).digest('base64url')
