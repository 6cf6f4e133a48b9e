import type * as api from '../../../proto/http/identity/accounts.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import type { CommandOf, PreparationOf } from '../../kit/command/command.ts'
import type { Pool } from '../../kit/db/client.ts'
import { invalidField, refuse } from '../../kit/errors/refusal.ts'
import { endSessionsOf } from '../sessions/commands.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { clearFailures, countFailure } from '../throttle/queries.ts'
import { refuseThrottled } from '../throttle/throttle.ts'
import type { Hashing } from './hashing.ts'
import { findPasswordHash, replacePassword, voidChallenges, voidLinks } from './queries.ts'
import { passwordProblem } from './rules.ts'

export interface PasswordDeps {
  sql: Pool
  hashing: Hashing
  now: () => string
}

interface PasswordChange {
  oldHash: string
  newHash: string
}

/** Checks the current password and hashes the new one. */
export async function hashPasswords(
  deps: PasswordDeps,
  { caller, body: { currentPassword, newPassword }, auditContext, signal }: PreparationOf<typeof api.changePassword>,
): Promise<PasswordChange> {
  const problem = passwordProblem(newPassword)
  if (problem) throw invalidField('newPassword', problem)
  return withOwnPassword(deps, caller.userId, currentPassword, { auditContext, signal }, async (oldHash) => ({
    oldHash,
    newHash: await deps.hashing.hash(newPassword),
  }))
}

interface Request {
  auditContext: AuditContext
  signal: AbortSignal
}

export const wrongPassword = () => invalidField('currentPassword', 'is not your password')

/** Goes on with the stored hash of the caller's password. Wrong ones are throttled like sign-ins. */
export async function withOwnPassword<Answer>(
  { sql, hashing, now: currentTime }: PasswordDeps,
  userId: string,
  currentPassword: string,
  { auditContext: { ipAddress }, signal }: Request,
  goOn: (hash: string) => Promise<Answer>,
): Promise<Answer> {
  const keys = throttleKeys(userId, ipAddress)
  await refuseThrottled(sql, keys, currentTime())
  return hashing.withSlot({ ipAddress, signal }, async () => {
    const now = currentTime()
    await refuseThrottled(sql, keys, now)
    const [stored] = await findPasswordHash(sql, userId)
    if (!stored || !(await hashing.verify(currentPassword, stored.password_hash))) {
      await countFailure(sql, keys, now)
      throw wrongPassword()
    }
    return goOn(stored.password_hash)
  })
}

/** Changes the caller's password and ends their other sessions. */
export async function changePassword({
  tx,
  caller: { userId, orgId, sessionId },
  oldHash,
  newHash,
  now,
  audit,
}: CommandOf<typeof api.changePassword> & PasswordChange): Promise<undefined> {
  if ((await replacePassword(tx, { userId, oldHash, newHash })).length === 0) {
    throw refuse('conflict', { detail: 'The password was changed by another request.' })
  }
  await voidLinks(tx, userId, now)
  await voidChallenges(tx, userId)
  await endSessionsOf(tx, { orgId, userId, except: sessionId }, now)
  await clearFailures(tx, throttleKeys(userId, audit.context.ipAddress))
  return undefined
}
