import { operatorContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { lockOrganization } from '../authority/authority.ts'
import { reconcileRoles } from '../organizations/system-roles.ts'
import { emitRoleChanged } from '../roles/commands.ts'
import { findRoleByName } from '../roles/queries.ts'
import { emitUserChanged } from '../users/commands.ts'
import { findUserByEmail, grantRoleTo } from '../users/queries.ts'

const ADMINISTRATOR = 'Administrator'

export interface Restored {
  orgId: string
  userId: string
}

/**
 * The way back for an organization in which nobody holds what would have to be handed out: the operator of the platform
 * makes a user of it Administrator, a role that then lists every key that counts there. Written into the organization's own
 * log as a grant by the operator. A conflict where the user holds all of it.
 */
export function restoreAdministrator(sql: Pool, email: string, now: string): Promise<Restored> {
  return sql.begin(async (tx) => {
    const { id: userId, org_id: orgId } = found(await findUserByEmail(tx, email.normalize('NFKC')))
    const standing = await lockOrganization(tx, orgId)
    // Read again: whoever was deactivated or erased meanwhile is not made administrator.
    const user = found(await findUserByEmail(tx, email.normalize('NFKC')))
    if (!user.active) throw refuse('illegal_transition', { detail: 'The user is inactive.' })
    const before = await findRoleByName(tx, orgId, ADMINISTRATOR)
    await reconcileRoles(tx, orgId, standing, now)
    const role = found(await findRoleByName(tx, orgId, ADMINISTRATOR))
    const isWhole = before[0]?.permissions.join() === role.permissions.join()
    const isNew = (await grantRoleTo(tx, { orgId, userId, roleId: role.id })).length > 0
    if (isWhole && !isNew) throw refuse('conflict', { detail: 'The user holds the whole role already.' })
    await recordSuccess(tx, operatorContext('role.grant', orgId, { id: role.id, userId }))
    await emitRoleChanged(tx, orgId, role.id)
    await emitUserChanged(tx, orgId, userId)
    return { orgId, userId }
  })
}
