import { isApplicable, type Permission, type Standing } from '../../../proto/permissions.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { findAdministrator, findProviderWithoutBreakGlass, listPermissions, lockOrganizationRow } from './queries.ts'
import { missingPermissions } from './rules.ts'

/** Serializes the commands on users and roles of one organization until the transaction ends. */
export async function lockStanding(tx: Tx, orgId: string): Promise<Standing> {
  return found(await lockOrganizationRow(tx, orgId))
}

/** A caller can grant and withdraw only permissions that the caller holds. */
export function requireHeldPermissions(caller: Caller, permissions: readonly Permission[]): void {
  const missing = missingPermissions(caller.permissions, permissions)
  if (missing.length > 0) throw refuse('forbidden', { detail: `You do not hold ${missing.join(', ')}.` })
}

/** The standing of the caller's organization. */
export const standingOf = ({ orgRoles, operator }: Caller): Standing => ({ roles: [...orgRoles], operator })

/** A caller can change only users whose permissions the caller holds. Returns the permissions of the user. */
export async function requireNoHigherPermissions(tx: Tx, caller: Caller, userId: string) {
  const permissions = await permissionsOf(tx, caller, userId)
  if (missingPermissions(caller.permissions, permissions).length > 0) {
    throw refuse('forbidden', { detail: 'The user holds a permission that you do not hold.' })
  }
  return permissions
}

/** Whether the caller holds every permission of the user. */
export const holdsPermissionsOf = async (tx: Tx, caller: Caller, userId: string): Promise<boolean> =>
  missingPermissions(caller.permissions, await permissionsOf(tx, caller, userId)).length === 0

/** The permissions of a user of the caller's organization, or of all its users, that are effective there. */
export async function permissionsOf(sql: Sql, caller: Caller, userId?: string): Promise<Permission[]> {
  const standing = standingOf(caller)
  const listed = await listPermissions(sql, caller.orgId, userId)
  return listed.map(({ permission }) => permission).filter((each) => isApplicable(each, standing))
}

/** Runs after a change that may have removed an administrator; the refusal rolls it back. */
export async function requireAdministratorLeft(tx: Tx, orgId: string): Promise<void> {
  if ((await findAdministrator(tx, orgId)).length === 0) throw refuse('last_administrator')
  const [locked] = await findProviderWithoutBreakGlass(tx, orgId)
  if (!locked) return
  throw refuse('conflict', {
    detail: `The user is the break-glass administrator of the identity provider ${locked.name}. Name another one first.`,
  })
}
