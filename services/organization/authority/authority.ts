import { isApplicable, type Permission, type Standing } from '../../../proto/permissions.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { missingPermissions } from '../roles/rules.ts'
import { findAdministrator, listKeys, lockOrganizationRow } from './queries.ts'

/** Begins a command on users or roles: until it ends nobody else changes those of the organization. */
export async function lockOrganization(tx: Tx, orgId: string): Promise<Standing> {
  return found(await lockOrganizationRow(tx, orgId))
}

/** Nobody hands out or takes away a key that they lack. */
export function requireHeldPermissions(caller: Caller, permissions: readonly Permission[]): void {
  const beyond = missingPermissions(caller.permissions, permissions)
  if (beyond.length > 0) throw refuse('forbidden', { detail: `You do not hold ${beyond.join(', ')} yourself.` })
}

/** Nobody changes a user who holds a key that they lack. Answers the user's keys. */
export async function requireNoHigherPermissions(tx: Tx, caller: Caller, userId: string, standing: Standing) {
  const keys = (await listKeys(tx, caller.orgId, userId))
    .map(({ key }) => key)
    .filter((key) => isApplicable(key, standing))
  if (missingPermissions(caller.permissions, keys).length > 0) {
    throw refuse('forbidden', { detail: 'The user holds a permission that you lack.' })
  }
  return keys
}

/** Asked after a change that may have taken away an administrator; the refusal undoes it. */
export async function requireAdministratorLeft(tx: Tx, orgId: string): Promise<void> {
  if ((await findAdministrator(tx, orgId)).length === 0) throw refuse('last_administrator')
}
