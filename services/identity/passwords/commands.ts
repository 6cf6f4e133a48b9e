import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Pool } from '../../kit/db/client.ts'
import { invalidField, refuse } from '../../kit/errors/refusal.ts'
import { endSessionsOf } from '../sessions/commands.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { clearFailures, countFailure } from '../throttle/queries.ts'
import { refuseThrottled } from '../throttle/throttle.ts'
import type { Hashing } from './hashing.ts'
import { findPasswordHash, replacePassword } from './queries.ts'
import { passwordProblem } from './rules.ts'

export interface PasswordDeps {
  sql: Pool
  hashing: Hashing
  clock: () => number
}

interface ChangePassword {
  request: Request
  caller: Caller
  begin: BeginCommand
  body: { currentPassword: string; newPassword: string }
  audit: AuditContext
}

/** Changes the caller's password and ends their other sessions. Wrong current passwords are throttled like sign-ins. */
export async function changePassword(
  { sql, hashing, clock }: PasswordDeps,
  { request, caller: { userId }, begin, body, audit }: ChangePassword,
): Promise<void> {
  const { currentPassword, newPassword } = body
  const problem = passwordProblem(newPassword)
  if (problem) throw invalidField('newPassword', problem)
  const keys = throttleKeys(userId, audit.ipAddress)
  const isoNow = () => new Date(clock()).toISOString()
  await refuseThrottled(sql, keys, isoNow())
  return hashing.withSlot({ ipAddress: audit.ipAddress, signal: request.signal }, async () => {
    const now = isoNow()
    await refuseThrottled(sql, keys, now)
    const [stored] = await findPasswordHash(sql, userId)
    if (!stored || !(await hashing.verify(currentPassword, stored.password_hash))) {
      await countFailure(sql, keys, now)
      throw invalidField('currentPassword', 'is not your password')
    }
    const newHash = await hashing.hash(newPassword)
    await begin(async (tx, { orgId, sessionId }) => {
      const change = { userId, oldHash: stored.password_hash, newHash }
      if ((await replacePassword(tx, change)).length === 0) {
        throw refuse('conflict', { detail: 'The password was changed by another request.' })
      }
      await endSessionsOf(tx, { orgId, userId, except: sessionId }, now)
      await clearFailures(tx, keys)
      await recordSuccess(tx, audit)
    })
  })
}
