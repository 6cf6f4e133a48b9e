import { emit, emitAll } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'

/** Makes every service reload the permissions of the user. */
export const emitUserChanged = (tx: Tx, orgId: string, userId: string) => emitUsersChanged(tx, orgId, [userId])

/** The event of several users, in one statement. */
export const emitUsersChanged = (tx: Tx, orgId: string, userIds: readonly string[]) =>
  emitAll(
    tx,
    userIds.map((userId) => ({
      type: 'organization.user.changed' as const,
      tenantId: orgId,
      subject: userId,
      data: { userId, orgId },
    })),
  )

type VoidingEvent = `organization.user.${'deactivated' | 'anonymised' | 'credentialsReset' | 'passkeysReset'}`

/** Makes every service reload the user and refuse the tokens of earlier versions of the sessions. */
export async function emitSessionsVoid(
  tx: Tx,
  type: VoidingEvent,
  data: { userId: string; orgId: string; sessionVersion: number },
): Promise<void> {
  await emitUserChanged(tx, data.orgId, data.userId)
  await emit(tx, { type, tenantId: data.orgId, subject: data.userId, data })
}

/** Makes every service reload the permissions of all users of the organization. */
export const emitRoleChanged = (tx: Tx, orgId: string, roleId: string) =>
  emit(tx, {
    type: 'organization.role.changed',
    tenantId: orgId,
    subject: roleId,
    data: { roleId, orgId },
  })

/** Makes every service reload the permissions of all users of the organization. */
export const emitOrganizationChanged = (tx: Tx, orgId: string) =>
  emit(tx, {
    type: 'organization.org.changed',
    tenantId: orgId,
    subject: orgId,
    data: { orgId },
  })
