import { timingSafeEqual } from 'node:crypto'
import type { SsoTokenSet } from '../../../proto/http/identity/sso.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordRefusal } from '../../kit/audit/record.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { isRefusalOf, refuse } from '../../kit/errors/refusal.ts'
import { hashOf, newSecretToken } from '../../kit/secrets/tokens.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { countFailure } from '../throttle/queries.ts'
import { refuseThrottled } from '../throttle/throttle.ts'
import { type TokenDeps, tokensOf } from '../tokens/commands.ts'
import { findUnchanged, insertRefreshToken, insertSession } from '../tokens/queries.ts'
import { REFRESH_IDLE_MS, SESSION_MS } from '../tokens/rules.ts'
import { type CodeRow, findCode, markRedeemed } from './queries.ts'

const wrongCode = () => refuse('invalid_credentials', { detail: 'The code is not valid.' })

interface Exchange {
  code: string
  /** The token of the browser's cookie. */
  browserToken: string | undefined
  audit: AuditContext
}

/**
 * Exchanges the code of a sign-in at a provider for tokens. Any use spends the code, also that of another browser. A
 * right code of 256 random bits is never throttled.
 */
export async function exchangeCode(deps: TokenDeps, { code, browserToken, audit }: Exchange): Promise<SsoTokenSet> {
  const { sql, clock } = deps
  const now = new Date(clock()).toISOString()
  const hash = hashOf(code)
  const [signIn] = await findCode(sql, hash, now)
  if (!signIn || (await markRedeemed(sql, hash, now)).length === 0) {
    const keys = throttleKeys('sso', audit.ipAddress)
    await refuseThrottled(sql, keys, now)
    await countFailure(sql, keys, now)
    throw wrongCode()
  }
  const { provider_id: identityProviderId, user_id: actorId, org_id: orgId } = signIn
  const context = { ...audit, request: { ...audit.request, identityProviderId } }
  const refuseFor = async (reason: string) => {
    await recordRefusal(
      sql,
      { ...context, actorId, orgId, request: { ...context.request, reason } },
      'invalid_credentials',
    )
    throw wrongCode()
  }
  if (browserToken === undefined || !timingSafeEqual(hashOf(browserToken), signIn.browser_hash))
    return refuseFor('other_browser')
  return openSession(deps, signIn, context).catch((error) => {
    if (isRefusalOf(error, 'invalid_credentials')) return refuseFor('user_changed')
    throw error
  })
}

/** Opens a session unless the user was deactivated or reset since the provider answered. */
async function openSession(deps: TokenDeps, signIn: CodeRow, context: AuditContext): Promise<SsoTokenSet> {
  const nowMs = deps.clock()
  const now = new Date(nowMs).toISOString()
  const { user_id: userId, org_id: orgId, session_version: sessionVersion } = signIn
  const sessionId = newIdAt('sess', now)
  const refreshToken = newSecretToken()
  await runWithoutCaller(deps.sql, context, async (tx, audit) => {
    if ((await findUnchanged(tx, userId, sessionVersion)).length === 0) throw wrongCode()
    const { ipAddress, userAgent } = context
    const expiresAt = new Date(nowMs + SESSION_MS).toISOString()
    await insertSession(tx, { id: sessionId, userId, orgId, sessionVersion, expiresAt, ipAddress, userAgent }, now)
    const idleUntil = new Date(nowMs + REFRESH_IDLE_MS).toISOString()
    await insertRefreshToken(tx, { hash: refreshToken.hash, sessionId, expiresAt: idleUntil }, now)
    audit.actBy({ userId, orgId })
  })
  const tokens = await tokensOf(deps, { userId, orgId, sessionId, sessionVersion }, refreshToken.token)
  return { ...tokens, email: signIn.email }
}
