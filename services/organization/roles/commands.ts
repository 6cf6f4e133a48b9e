import {
  type CreateRoleRequest,
  MAX_CUSTOM_ROLES,
  type PatchRoleRequest,
  type Role,
} from '../../../proto/http/organization/roles.ts'
import type { Permission, Standing } from '../../../proto/permissions.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { AuthorizedTx, BeginCommand } from '../../kit/auth/authorized.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { once } from '../../kit/idempotency/once.ts'
import { requireAdministratorLeft, requireHeldPermissions, standingOf } from '../authority/authority.ts'
import { nameTaken, withUniqueName } from '../unique-names.ts'
import {
  countCustomRoles,
  deleteRole as deleteRoleRow,
  findHolder,
  findRole,
  insertRole,
  updateRole,
} from './queries.ts'
import { inapplicablePermissions, isReserved } from './rules.ts'

const UNIQUE_NAME = { record: 'role', index: 'roles_org_id_name_key' }

export interface CommandDeps {
  clock: () => number
}

/** Creates a role whose permissions apply to the organization and are held by the caller. */
export async function createRole(begin: BeginCommand, audit: AuditContext, input: CreateRoleRequest, now: string) {
  const add = (tx: AuthorizedTx, caller: Caller) => addRole(tx, caller, audit, input, now)
  return { roleId: (await withUniqueName(begin, UNIQUE_NAME, add)).id }
}

interface CreateRole {
  begin: BeginCommand
  body: CreateRoleRequest
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates a role once per Idempotency-Key. */
export function createRoleOnce({ clock }: CommandDeps, { begin, body, audit, idempotencyKey }: CreateRole) {
  const now = new Date(clock()).toISOString()
  return withUniqueName(begin, UNIQUE_NAME, (tx, caller) => {
    const request = { userId: caller.userId, operation: 'createRole', key: idempotencyKey, body }
    return once(tx, request, now, () => addRole(tx, caller, audit, body, now))
  })
}

async function addRole(
  tx: AuthorizedTx,
  caller: Caller,
  audit: AuditContext,
  input: CreateRoleRequest,
  now: string,
): Promise<Role> {
  const { orgId } = caller
  const role = { id: newId('role'), name: input.name, permissions: [...new Set(input.permissions)], system: false }
  requireApplicable(role.permissions, standingOf(caller))
  requireHeldPermissions(caller, role.permissions)
  if (isReserved(role.name)) throw nameTaken(UNIQUE_NAME.record)
  const [custom] = await countCustomRoles(tx, orgId)
  if (custom.count >= MAX_CUSTOM_ROLES) throw refuse('limit_reached')
  await insertRole(tx, { ...role, orgId }, now)
  await recordSuccess(tx, { ...audit, request: { ...audit.request, roleId: role.id } })
  await emitRoleChanged(tx, orgId, role.id)
  return role
}

function requireApplicable(permissions: readonly Permission[], standing: Standing): void {
  const inapplicable = inapplicablePermissions(permissions, standing)
  if (inapplicable.length > 0) {
    throw invalidField('permissions', `do not apply to your organization: ${inapplicable.join(', ')}`)
  }
}

/** Makes every service reload the permissions of all users of the organization. */
export const emitRoleChanged = (tx: Tx, orgId: string, roleId: string) =>
  emit(tx, { type: 'organization.role.changed', tenantId: orgId, subject: roleId, data: { roleId, orgId } })

interface PatchRole {
  begin: BeginCommand
  id: string
  body: PatchRoleRequest
  audit: AuditContext
  ifMatch: string | undefined
}

/**
 * Changes a custom role. The caller must hold the old and the new permissions of the role, because its users gain and lose
 * them. An administrator must remain.
 */
export function patchRole({ begin, id, body, audit, ifMatch }: PatchRole): Promise<Role> {
  return withUniqueName(begin, UNIQUE_NAME, async (tx, caller) => {
    const { orgId } = caller
    const role = found(await findRole(tx, orgId, id))
    const permissions = body.permissions === undefined ? role.permissions : [...new Set(body.permissions)]
    const name = body.name ?? role.name
    requireApplicable(permissions, standingOf(caller))
    requireHeldPermissions(caller, [...role.permissions, ...permissions])
    requireMatch(ifMatch, role)
    requireCustom(role)
    if (isReserved(name)) throw nameTaken(UNIQUE_NAME.record)
    const changed = found(await updateRole(tx, { id, orgId, name, permissions }))
    if (role.permissions.includes('org:admin')) await requireAdministratorLeft(tx, orgId)
    await recordSuccess(tx, audit)
    await emitRoleChanged(tx, orgId, id)
    return changed
  })
}

function requireCustom({ system }: Role): void {
  if (system) throw refuse('conflict', { detail: 'System roles cannot be changed.' })
}

/** Deletes a custom role that no user holds. */
export function deleteRole(begin: BeginCommand, id: string, audit: AuditContext): Promise<undefined> {
  return begin(async (tx, caller) => {
    const { orgId } = caller
    const role = found(await findRole(tx, orgId, id))
    requireHeldPermissions(caller, role.permissions)
    requireCustom(role)
    if ((await findHolder(tx, orgId, id)).length > 0) throw refuse('in_use', { detail: 'A user holds the role.' })
    await deleteRoleRow(tx, orgId, id)
    await recordSuccess(tx, audit)
    await emitRoleChanged(tx, orgId, id)
    return undefined
  })
}
