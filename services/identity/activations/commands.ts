import type * as api from '../../../proto/http/identity/accounts.ts'
import type { LinkedAccount } from '../../../proto/http/identity/accounts.ts'
import type { BodyOf } from '../../../proto/http/operation.ts'
import { type AuditContext, withRequestFields } from '../../kit/audit/context.ts'
import { recordRefusal } from '../../kit/audit/record.ts'
import { lockOrganization } from '../../kit/auth/queries.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import { found, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { hashOf } from '../../kit/secrets/tokens.ts'
import type { PasswordDeps } from '../passwords/commands.ts'
import { setPassword, voidChallenges, voidLinks } from '../passwords/queries.ts'
import { passwordProblem } from '../passwords/rules.ts'
import { endSessionsOf } from '../sessions/commands.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { refuseWrongToken } from '../throttle/throttle.ts'
import { findAccount, findActivation, markRedeemed, proveAddress } from './queries.ts'

/** The account of an activation link. The caller proves with the token that it has the link. */
export async function introspectActivation({ sql, now }: PasswordDeps, token: string): Promise<LinkedAccount> {
  return found(await findAccount(sql, hashOf(token), now()))
}

/**
 * Sets the password of an activation link. Unknown, used and expired links are the same 404. Failures are counted, but
 * a right token of 256 bits is never refused because of them.
 */
export async function redeemActivation(
  { sql, hashing, now }: PasswordDeps,
  { token, password }: BodyOf<typeof api.redeemActivation>,
  auditContext: AuditContext,
  signal: AbortSignal,
): Promise<void> {
  const problem = passwordProblem(password)
  if (problem) throw invalidField('password', problem)
  const hash = hashOf(token)
  const refuseToken = () => refuseWrongToken(sql, throttleKeys('activation', auditContext.ipAddress), now())
  const [pending] = await findActivation(sql, hash, now())
  if (!pending) return refuseToken()
  if (pending.enforced) return refuseEnforced(sql, pending, auditContext)
  const redeemed = await hashing.withSlot({ ipAddress: auditContext.ipAddress, signal }, async () => {
    const passwordHash = await hashing.hash(password)
    return runWithoutCaller(sql, auditContext, async (tx, audit) => {
      // One at a time, because each use voids the other links of the user.
      await lockOrganization(tx, pending.org_id)
      // The user may have been reset, deactivated or anonymised while the password was hashed.
      const [activation] = await findActivation(tx, hash, now())
      if (!activation || (await markRedeemed(tx, hash, now())).length === 0) return false
      const { user_id: userId, org_id: orgId, password_version: version } = activation
      await setPassword(tx, { userId, passwordHash, version })
      await proveAddress(tx, hash)
      await voidLinks(tx, userId, now())
      await voidChallenges(tx, userId)
      await endSessionsOf(tx, { orgId, userId }, now())
      audit.actBy({ userId, orgId })
      return true
    })
  })
  if (!redeemed) return refuseToken()
}

/** People of an enforced identity provider choose no password. */
async function refuseEnforced(
  sql: PasswordDeps['sql'],
  { user_id: actorId, org_id: orgId }: { user_id: string; org_id: string },
  auditContext: AuditContext,
): Promise<never> {
  const refused = withRequestFields(auditContext, { reason: 'identity_provider_enforced' })
  await recordRefusal(sql, { ...refused, actorId, orgId }, 'invalid_credentials')
  throw refuse('invalid_credentials', { detail: 'You sign in by the identity provider of your organization.' })
}
