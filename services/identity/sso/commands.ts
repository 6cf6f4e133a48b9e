import { timingSafeEqual } from 'node:crypto'
import { timeAt } from '../../../proto/durations.ts'
import type { SignInTokenSet } from '../../../proto/http/identity/sign-in.ts'
import { type AuditContext, withRequestFields } from '../../kit/audit/context.ts'
import { recordRefusal } from '../../kit/audit/record.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { hashOf } from '../../kit/secrets/tokens.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { countWrong } from '../throttle/throttle.ts'
import { openSignIn, type TokenDeps } from '../tokens/open-session.ts'
import { findCode, markRedeemed } from './queries.ts'

const wrongCode = () => refuse('invalid_credentials', { detail: 'The code is not valid.' })

interface Exchange {
  code: string
  /** The token of the browser's cookie. */
  browserToken: string | undefined
  auditContext: AuditContext
}

/**
 * Exchanges the code of a sign-in at a provider for tokens. Any use spends the code, also that of another browser. A
 * right code of 256 random bits is never throttled.
 */
export async function exchangeCode(
  deps: TokenDeps,
  { code, browserToken, auditContext: received }: Exchange,
): Promise<SignInTokenSet> {
  const { sql, clock } = deps
  const now = timeAt(clock())
  const hash = hashOf(code)
  const [signIn] = await findCode(sql, hash, now)
  if (!signIn || (await markRedeemed(sql, hash, now)).length === 0) {
    await countWrong(sql, throttleKeys('sso', received.ipAddress), now)
    throw wrongCode()
  }
  const { provider_id: identityProviderId, user_id: actorId, org_id: orgId } = signIn
  const auditContext = withRequestFields(received, { identityProviderId })
  const refuseFor = async (reason: string) => {
    await recordRefusal(sql, { ...withRequestFields(auditContext, { reason }), actorId, orgId }, 'invalid_credentials')
    throw wrongCode()
  }
  if (browserToken === undefined || !timingSafeEqual(hashOf(browserToken), signIn.browser_hash))
    return refuseFor('other_browser')
  return openSignIn(deps, signIn, { method: 'PROVIDER', auditContext }, refuseFor)
}
