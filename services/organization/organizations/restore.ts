import { emailSpelling } from '../../kit/addresses/email-spelling.ts'
import type { Impersonate } from '../../kit/audit/context.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { lockStanding } from '../authority/authority.ts'
import { emitRoleChanged, emitUserChanged } from '../authority/events.ts'
import { findRoleByName, grantRoleTo } from '../roles/queries.ts'
import { findUserByEmail } from '../users/queries.ts'
import { reconcileRoles } from './system-roles.ts'

const ADMINISTRATOR = 'Administrator'

interface RestoredAdministrator {
  orgId: string
  userId: string
}

/**
 * Recovers an organization whose administrators lack permissions. The platform operator grants a user the role
 * Administrator with all permissions that apply to the organization. The organization's audit log records the grant.
 */
export function restoreAdministrator(
  sql: Pool,
  email: string,
  impersonate: Impersonate,
  now: string,
): Promise<RestoredAdministrator> {
  return runWithoutCaller(sql, { procedure: 'role.grant' }, async (tx, audit) => {
    const { id: userId, org_id: orgId } = found(await findUserByEmail(tx, emailSpelling(email)))
    const standing = await lockStanding(tx, orgId)
    // The lock may have waited for a command that deactivated or erased the user.
    const user = found(await findUserByEmail(tx, emailSpelling(email)))
    if (!user.active) throw refuse('illegal_transition', { detail: 'The user is inactive.' })
    const before = await findRoleByName(tx, orgId, ADMINISTRATOR)
    await reconcileRoles(tx, orgId, standing, now)
    const role = found(await findRoleByName(tx, orgId, ADMINISTRATOR))
    const wasComplete = before[0]?.permissions.join() === role.permissions.join()
    const isNewlyGranted = (await grantRoleTo(tx, { orgId, userIds: [userId], roleId: role.id })).length > 0
    if (wasComplete && !isNewlyGranted)
      throw refuse('conflict', { detail: 'The user already holds the complete role.' })
    audit.actBy({ userId, orgId, grantId: await impersonate(tx, { orgId, userId }, now) })
    audit.add({ id: role.id, userId })
    await emitRoleChanged(tx, orgId, role.id)
    await emitUserChanged(tx, orgId, userId)
    return { orgId, userId }
  })
}
