import { type Standing, SYSTEM_ROLES } from '../../../proto/permissions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { deleteRole, insertRole, listRolesOf, updateRole, withdrawRoleFromAll } from '../roles/queries.ts'
import { inapplicablePermissions, systemRolesOf } from '../roles/rules.ts'

/**
 * Brings the roles of an organization in line with its standing: the system roles that it may have, no other ones, and in
 * its own roles only keys that count.
 */
export async function reconcileRoles(tx: Tx, orgId: string, standing: Standing, now: string): Promise<void> {
  const present = await listRolesOf(tx, orgId)
  const wanted = new Map(systemRolesOf(standing, SYSTEM_ROLES).map((role) => [role.name, role.permissions]))
  for (const role of present) {
    const idle = new Set(inapplicablePermissions(role.permissions, standing))
    const permissions = role.system
      ? wanted.get(role.name)
      : idle.size > 0
        ? role.permissions.filter((key) => !idle.has(key))
        : role.permissions
    if (permissions === undefined) {
      await withdrawRoleFromAll(tx, orgId, role.id)
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
