import type { Standing } from '../../../proto/permissions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import {
  deleteRole,
  insertRole,
  listRolesOf,
  removeRoleFromProviders,
  updateRole,
  withdrawRoleFromAll,
} from '../roles/queries.ts'
import { inapplicablePermissions, systemRolesOf } from '../roles/rules.ts'

/**
 * Adapts the roles of an organization to its standing: adds system roles, deletes others with what grants them, and
 * removes permissions that no longer apply from custom roles.
 */
export async function reconcileRoles(tx: Tx, orgId: string, standing: Standing, now: string): Promise<void> {
  const present = await listRolesOf(tx, orgId)
  const wanted = new Map(systemRolesOf(standing).map((role) => [role.name, role.permissions]))
  for (const role of present) {
    const inapplicable = new Set(inapplicablePermissions(role.permissions, standing))
    const permissions = role.system
      ? wanted.get(role.name)
      : inapplicable.size > 0
        ? role.permissions.filter((permission) => !inapplicable.has(permission))
        : role.permissions
    if (permissions === undefined) {
      await withdrawRoleFromAll(tx, orgId, role.id)
      await removeRoleFromProviders(tx, { orgId, roleId: role.id }, now)
      await deleteRole(tx, orgId, role.id)
    } else if (permissions.join() !== role.permissions.join()) {
      await updateRole(tx, { id: role.id, orgId, name: role.name, permissions })
    }
    if (role.system) wanted.delete(role.name)
  }
  for (const [name, permissions] of wanted) {
    await insertRole(tx, { id: newId('role'), orgId, name, permissions, system: true }, now)
  }
}
