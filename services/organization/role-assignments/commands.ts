import type { Role } from '../../../proto/http/organization/roles.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { requireAdministratorLeft, requireHeldPermissions } from '../authority/authority.ts'
import { findRole, withdrawRoleFrom } from '../roles/queries.ts'
import { emitUserChanged } from '../users/commands.ts'
import { findUser, grantRoleTo } from '../users/queries.ts'

interface RoleAssignment {
  roleId: string
  userId: string
}

const conflict = (message: string) => refuse('conflict', { errors: [{ field: 'userId', message }] })

/** Grants a role whose permissions the caller holds. */
export function grantRole(begin: BeginCommand, audit: AuditContext, { roleId, userId }: RoleAssignment): Promise<Role> {
  return begin(async (tx, caller) => {
    const { orgId } = caller
    const { role, user } = await findAssignment(tx, caller, { roleId, userId })
    if (user.anonymised) throw conflict('is anonymised')
    if ((await grantRoleTo(tx, { orgId, userId, roleId })).length === 0) throw conflict('already holds the role')
    await recordSuccess(tx, audit)
    await emitUserChanged(tx, orgId, userId)
    return role
  })
}

/** Withdraws a role whose permissions the caller holds. An administrator must remain, also after concurrent withdrawals. */
export function withdrawRole(
  begin: BeginCommand,
  audit: AuditContext,
  { roleId, userId }: RoleAssignment,
): Promise<Role> {
  return begin(async (tx, caller) => {
    const { orgId } = caller
    const { role } = await findAssignment(tx, caller, { roleId, userId })
    if ((await withdrawRoleFrom(tx, { orgId, userId, roleId })).length === 0) throw conflict('does not hold the role')
    if (role.permissions.includes('org:admin')) await requireAdministratorLeft(tx, orgId)
    await recordSuccess(tx, audit)
    await emitUserChanged(tx, orgId, userId)
    return role
  })
}

async function findAssignment(tx: Tx, caller: Caller, { roleId, userId }: RoleAssignment) {
  const role = found(await findRole(tx, caller.orgId, roleId))
  requireHeldPermissions(caller, role.permissions)
  const [user] = await findUser(tx, caller.orgId, userId)
  if (!user) throw invalidField('userId', noSuch('user', userId, 'in your organization'))
  return { role, user }
}
