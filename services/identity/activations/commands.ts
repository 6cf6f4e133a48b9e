import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import { beginWithoutCaller } from '../../kit/auth/authorized.ts'
import { hashOf } from '../../kit/db/ids.ts'
import { invalidField, notFound } from '../../kit/errors/refusal.ts'
import type { PasswordDeps } from '../passwords/commands.ts'
import { setPassword } from '../passwords/queries.ts'
import { passwordProblem } from '../passwords/rules.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { countFailure } from '../throttle/queries.ts'
import { refuseThrottled } from '../throttle/throttle.ts'
import { findActivation, markRedeemed } from './queries.ts'

interface Activation {
  token: string
  password: string
}

/** Sets the password of an activation link. Unknown, used and expired links are the same 404. */
export function redeemActivation(
  { sql, hashing, clock }: PasswordDeps,
  { token, password }: Activation,
  audit: AuditContext,
): Promise<void> {
  const problem = passwordProblem(password)
  if (problem) throw invalidField('password', problem)
  const hash = hashOf(token)
  const keys = throttleKeys('activation', audit.ipAddress)
  return hashing.withSlot(async () => {
    const now = new Date(clock()).toISOString()
    await refuseThrottled(sql, keys, now)
    const [activation] = await findActivation(sql, hash, now)
    const passwordHash = await hashing.hash(password)
    const redeemed =
      activation !== undefined &&
      (await beginWithoutCaller(sql, async (tx) => {
        // The user may have been reset, deactivated or anonymised while the password was hashed.
        const [current] = await findActivation(tx, hash, now)
        if (!current) return false
        if ((await markRedeemed(tx, hash, now)).length === 0) return false
        await setPassword(tx, { userId: current.user_id, passwordHash, version: current.password_version })
        await recordSuccess(tx, { ...audit, actorId: activation.user_id, orgId: activation.org_id })
        return true
      }))
    if (redeemed) return
    await countFailure(sql, keys, now)
    throw notFound()
  })
}
