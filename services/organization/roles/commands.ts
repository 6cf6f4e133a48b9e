import type { Permission } from '../../../proto/permissions.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { Trail } from '../../kit/audit/trail.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Pool } from '../../kit/db/client.ts'
import { isUniqueViolation } from '../../kit/db/failures.ts'
import { newId } from '../../kit/db/ids.ts'
import { invalidField, notFound, refuse } from '../../kit/http/refusal.ts'
import { emit } from '../../kit/outbox/emit.ts'
import { findStanding } from '../organizations/queries.ts'
import { findUser, grantRoleTo } from '../users/queries.ts'
import { findRole, insertRole } from './queries.ts'
import { keysBeyond, keysThatDoNotCount } from './rules.ts'

export interface NewRole {
  name: string
  permissions: Permission[]
}

/** A role of the caller's organization; it lists only keys that count there, and only such as the caller holds. */
export function createRole(sql: Pool, caller: Caller, trail: Trail, { name, permissions }: NewRole, now: string) {
  return sql
    .begin(async (tx) => {
      const [standing] = await findStanding(tx, caller.orgId)
      if (!standing) throw notFound()
      const idle = keysThatDoNotCount(permissions, standing)
      if (idle.length > 0) throw invalidField('permissions', `do not count in your organization: ${idle.join(', ')}`)
      requireHeld(caller, permissions)
      const roleId = newId('role')
      await insertRole(tx, { id: roleId, orgId: caller.orgId, name, permissions, system: false }, now)
      await recordSuccess(tx, trail)
      return { roleId }
    })
    .catch((error) => {
      if (!isUniqueViolation(error, 'roles_org_id_name_key')) throw error
      throw refuse('conflict', { errors: [{ field: 'name', message: 'is the name of another role' }] })
    })
}

export interface Grant {
  roleId: string
  userId: string
}

export function grantRole(sql: Pool, caller: Caller, trail: Trail, { roleId, userId }: Grant) {
  return sql.begin(async (tx) => {
    const [role] = await findRole(tx, caller.orgId, roleId)
    if (!role) throw notFound()
    const [user] = await findUser(tx, caller.orgId, userId)
    if (!user) throw invalidField('userId', 'names no user of your organization')
    requireHeld(caller, role.permissions)
    await grantRoleTo(tx, { orgId: caller.orgId, userId, roleId })
    await recordSuccess(tx, trail)
    await emit(tx, {
      type: 'organization.user.changed',
      tenantId: caller.orgId,
      subject: userId,
      data: { userId, orgId: caller.orgId },
    })
  })
}

function requireHeld(caller: Caller, permissions: readonly Permission[]): void {
  const beyond = keysBeyond(caller.permissions, permissions)
  if (beyond.length > 0) throw refuse('forbidden', { detail: `You do not hold ${beyond.join(', ')} yourself.` })
}
