import type * as api from '../../../proto/http/organization/roles.ts'
import { MAX_CUSTOM_ROLES, type Role } from '../../../proto/http/organization/roles.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { Permission, Standing } from '../../../proto/permissions.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, invalidField, refuse, requireRoomFor } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { requireAdministratorLeft, requireHeldPermissions, standingOf } from '../authority/authority.ts'
import { emitRoleChanged, emitUsersChanged } from '../authority/events.ts'
import { requireStrongKeepers } from '../authority/key-keepers.ts'
import { findUser } from '../authority/queries.ts'
import { nameTaken, refuseTakenName } from '../unique-names.ts'
import * as queries from './queries.ts'
import { inapplicablePermissions, isReserved } from './rules.ts'

const UNIQUE_NAME = { record: 'role', index: 'roles_org_id_name_key' }
const refuseTaken = refuseTakenName(UNIQUE_NAME)

/** Creates a role whose permissions apply to the organization and are held by the caller. */
export async function createRole({ tx, caller, body, now, audit }: CommandOf<typeof api.createRole>): Promise<Role> {
  const { orgId } = caller
  const role = { id: newId('role'), name: body.name, permissions: [...new Set(body.permissions)], system: false }
  requireApplicable(role.permissions, standingOf(caller))
  requireHeldPermissions(caller, role.permissions)
  if (isReserved(role.name)) throw nameTaken(UNIQUE_NAME.record)
  requireRoomFor('roles of its own', MAX_CUSTOM_ROLES, await queries.countCustomRoles(tx, orgId))
  await queries.insertRole(tx, { ...role, orgId }, now).catch(refuseTaken)
  audit.add({ roleId: role.id })
  await emitRoleChanged(tx, orgId, role.id)
  return role
}

function requireApplicable(permissions: readonly Permission[], standing: Standing): void {
  const inapplicable = inapplicablePermissions(permissions, standing)
  if (inapplicable.length > 0) {
    throw invalidField('permissions', `do not apply to your organization: ${inapplicable.join(', ')}`)
  }
}

/**
 * Changes a custom role. The caller must hold the old and the new permissions of the role, because its users gain and
 * lose them. An administrator must remain. A patch without a change emits no event.
 */
export async function patchRole({
  tx,
  caller,
  params: { id },
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchRole>): Promise<Role> {
  const { orgId } = caller
  const role = found(await queries.findRole(tx, orgId, id))
  const permissions = body.permissions === undefined ? role.permissions : [...new Set(body.permissions)]
  const name = body.name ?? role.name
  requireApplicable(permissions, standingOf(caller))
  requireHeldPermissions(caller, [...role.permissions, ...permissions])
  requireMatch(ifMatch, role)
  requireCustom(role)
  if (isReserved(name)) throw nameTaken(UNIQUE_NAME.record)
  if (name === role.name && Bun.deepEquals(permissions, role.permissions)) return role
  const changed = found(await queries.updateRole(tx, { id, orgId, name, permissions }).catch(refuseTaken))
  if (role.permissions.includes('org:admin')) await requireAdministratorLeft(tx, orgId)
  const added = permissions.filter((permission) => !role.permissions.includes(permission))
  await requireStrongKeepers(tx, { orgId, roleId: id, added }, 'permissions', now)
  await emitRoleChanged(tx, orgId, id)
  return changed
}

function requireCustom({ system }: Role): void {
  if (system) throw refuse('conflict', { detail: 'System roles cannot be changed.' })
}

/** Deletes a custom role that no user holds. */
export async function deleteRole({ tx, caller, params: { id } }: CommandOf<typeof api.deleteRole>): Promise<undefined> {
  const { orgId } = caller
  const role = found(await queries.findRole(tx, orgId, id))
  requireHeldPermissions(caller, role.permissions)
  requireCustom(role)
  if ((await queries.findHolder(tx, orgId, id)).length > 0) throw refuse('in_use', { detail: 'A user holds the role.' })
  if ((await queries.findProviderGranting(tx, orgId, id)).length > 0) {
    throw refuse('in_use', { detail: 'An identity provider grants the role.' })
  }
  await queries.deleteRole(tx, orgId, id)
  await emitRoleChanged(tx, orgId, id)
  return undefined
}

/** Grants a role whose permissions the caller holds. */
export async function grantRole({
  tx,
  caller,
  params: { id: roleId },
  body: { userId },
  now,
}: CommandOf<typeof api.grantRole>): Promise<Role> {
  const { orgId } = caller
  const { role, user } = await findRoleAndUser(tx, caller, roleId, userId)
  if (user.anonymised) throw conflict('is anonymised')
  if ((await grantTo(tx, { orgId, role, userIds: [userId] })).length === 0) throw conflict('already holds the role')
  await requireStrongKeepers(tx, { orgId, roleId, userId, added: role.permissions }, 'userId', now)
  return role
}

interface Holders {
  orgId: string
  /** A role whose permissions the caller holds. */
  role: Pick<Role, 'id'> & { permissions: readonly Permission[] }
  userIds: readonly string[]
}

/** Grants a role to those of the users who lack it. Returns their ids. */
export async function grantTo(tx: Tx, { orgId, role, userIds }: Holders): Promise<string[]> {
  const granted = (await queries.grantRoleTo(tx, { orgId, roleId: role.id, userIds })).map((row) => row.user_id)
  await emitUsersChanged(tx, orgId, granted)
  return granted
}

/** Withdraws a role from those of the users who hold it, of whom an administrator must remain. Returns their ids. */
export async function withdrawFrom(tx: Tx, { orgId, role, userIds }: Holders): Promise<string[]> {
  const rows = await queries.withdrawRoleFrom(tx, { orgId, roleId: role.id, userIds })
  const withdrawn = rows.map((row) => row.user_id)
  if (withdrawn.length > 0 && role.permissions.includes('org:admin')) await requireAdministratorLeft(tx, orgId)
  await emitUsersChanged(tx, orgId, withdrawn)
  return withdrawn
}

/** Withdraws a role whose permissions the caller holds. An administrator must remain, also after concurrent calls. */
export async function withdrawRole({
  tx,
  caller,
  params: { id: roleId },
  body: { userId },
}: CommandOf<typeof api.withdrawRole>): Promise<Role> {
  const { orgId } = caller
  const { role } = await findRoleAndUser(tx, caller, roleId, userId)
  if ((await withdrawFrom(tx, { orgId, role, userIds: [userId] })).length === 0) {
    throw conflict('does not hold the role')
  }
  return role
}

async function findRoleAndUser(tx: Tx, caller: Caller, roleId: string, userId: string) {
  const role = found(await queries.findRole(tx, caller.orgId, roleId))
  requireHeldPermissions(caller, role.permissions)
  const [user] = await findUser(tx, caller.orgId, userId)
  if (!user) throw invalidField('userId', noSuch('user', userId, 'in your organization'))
  return { role, user }
}

const conflict = (message: string) => refuse('conflict', { errors: [{ field: 'userId', message }] })
