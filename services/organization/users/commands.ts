import { recordSuccess } from '../../kit/audit/record.ts'
import type { Trail } from '../../kit/audit/trail.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { isUniqueViolation } from '../../kit/db/failures.ts'
import { newId, newSecretToken } from '../../kit/db/ids.ts'
import { notFound, refuse } from '../../kit/http/refusal.ts'
import { emit } from '../../kit/outbox/emit.ts'
import { findUserByEmail, insertActivation, insertUser, voidCredentials } from './queries.ts'

export interface NewUser {
  email: string
  givenName: string
  familyName: string
  phone?: string
}

export interface InvitedUser {
  userId: string
  /** Lets the user choose a password, once; the administrator passes it on. */
  activationToken: string
}

const ACTIVATION_MS = 72 * 60 * 60 * 1000

/** A user of the caller's organization, active at once and without a password until activation. */
export function createUser(sql: Pool, caller: Caller, trail: Trail, input: NewUser, now: string) {
  return sql.begin(async (tx) => {
    const invited = await addUser(tx, caller.orgId, input, now)
    await recordSuccess(tx, trail)
    return invited
  })
}

/** Voids the password and the sessions of a locked-out user and makes a new activation link. */
export function resetPassword(sql: Pool, email: string, now: string): Promise<InvitedUser> {
  return sql.begin(async (tx) => {
    const [user] = await findUserByEmail(tx, email)
    if (!user) throw notFound()
    await voidCredentials(tx, user.id, now)
    const activationToken = await addActivation(tx, user.id, now)
    const about = { tenantId: user.org_id, subject: user.id, data: { userId: user.id, orgId: user.org_id } }
    await emit(tx, { type: 'organization.user.changed', ...about })
    await emit(tx, { type: 'organization.user.credentialsReset', ...about })
    return { userId: user.id, activationToken }
  })
}

export async function addUser(tx: Tx, orgId: string, input: NewUser, now: string): Promise<InvitedUser> {
  const userId = newId('user')
  await insertUser(tx, { id: userId, orgId, ...input, phone: input.phone ?? null }, now).catch((error) => {
    if (!isUniqueViolation(error, 'users_email')) throw error
    throw refuse('email_taken', { errors: [{ field: 'email', message: 'is taken' }] })
  })
  const activationToken = await addActivation(tx, userId, now)
  await emit(tx, {
    type: 'organization.user.changed',
    tenantId: orgId,
    subject: userId,
    data: { userId, orgId },
  })
  return { userId, activationToken }
}

async function addActivation(tx: Tx, userId: string, now: string): Promise<string> {
  const { token, hash } = newSecretToken()
  const expiresAt = new Date(Date.parse(now) + ACTIVATION_MS).toISOString()
  await insertActivation(tx, { hash, userId, expiresAt }, now)
  return token
}
