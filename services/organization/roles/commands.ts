import {
  type CreateRoleRequest,
  MAX_CUSTOM_ROLES,
  type PatchRoleRequest,
  type Role,
} from '../../../proto/http/organization/roles.ts'
import type { Permission, Standing } from '../../../proto/permissions.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { isUniqueViolation } from '../../kit/db/failures.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { once } from '../../kit/idempotency/once.ts'
import { lockOrganization, requireAdministratorLeft, requireHeld } from '../authority/authority.ts'
import { countCustomRoles, deleteRole as dropRole, findHolder, findRole, insertRole, updateRole } from './queries.ts'
import { isReserved, keysThatDoNotCount } from './rules.ts'

export interface CommandDeps {
  sql: Pool
  clock: () => number
}

/** Creates a role with permissions that are effective in the organization and that the caller holds. */
export async function createRole(
  sql: Pool,
  caller: Caller,
  audit: AuditContext,
  input: CreateRoleRequest,
  now: string,
) {
  return { roleId: (await createdWith(sql, (tx) => addRole(tx, caller, audit, input, now))).id }
}

export interface CreateRole {
  caller: Caller
  body: CreateRoleRequest
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates a role once for each Idempotency-Key. */
export function createRoleOnce({ sql, clock }: CommandDeps, { caller, body, audit, idempotencyKey }: CreateRole) {
  const now = new Date(clock()).toISOString()
  const request = { userId: caller.userId, operation: 'createRole', key: idempotencyKey, body }
  return createdWith(sql, (tx) => once(tx, request, now, () => addRole(tx, caller, audit, body, now)))
}

const createdWith = <T>(sql: Pool, work: (tx: Tx) => Promise<T>): Promise<T> =>
  (sql.begin(work) as Promise<T>).catch(refuseTakenName)

function refuseTakenName(error: unknown): never {
  if (!isUniqueViolation(error, 'roles_org_id_name_key')) throw error
  throw takenName()
}

const takenName = () => refuse('conflict', { errors: [{ field: 'name', message: 'is the name of another role' }] })

async function addRole(
  tx: Tx,
  caller: Caller,
  audit: AuditContext,
  input: CreateRoleRequest,
  now: string,
): Promise<Role> {
  const { orgId } = caller
  const role = { id: newId('role'), name: input.name, permissions: [...new Set(input.permissions)], system: false }
  const standing = await lockOrganization(tx, orgId)
  requireCounting(role.permissions, standing)
  requireHeld(caller, role.permissions)
  if (isReserved(role.name)) throw takenName()
  const [custom] = await countCustomRoles(tx, orgId)
  if (custom.count >= MAX_CUSTOM_ROLES) throw refuse('limit_reached')
  await insertRole(tx, { ...role, orgId }, now)
  await recordSuccess(tx, { ...audit, request: { ...audit.request, roleId: role.id } })
  await announceRole(tx, orgId, role.id)
  return role
}

/** A permission that has no effect in the organization is a 400. */
function requireCounting(permissions: readonly Permission[], standing: Standing): void {
  const idle = keysThatDoNotCount(permissions, standing)
  if (idle.length > 0) throw invalidField('permissions', `have no effect in your organization: ${idle.join(', ')}`)
}

/** Services reload the permissions of all users of the organization, because any of them may hold the role. */
export const announceRole = (tx: Tx, orgId: string, roleId: string) =>
  emit(tx, { type: 'organization.role.changed', tenantId: orgId, subject: roleId, data: { roleId, orgId } })

export interface PatchRole {
  caller: Caller
  id: string
  body: PatchRoleRequest
  audit: AuditContext
  ifMatch: string | undefined
}

/**
 * Changes a custom role. The caller must hold its old and its new permissions. The organization keeps its last
 * administrator.
 */
export function patchRole({ sql }: CommandDeps, { caller, id, body, audit, ifMatch }: PatchRole): Promise<Role> {
  const { orgId } = caller
  return createdWith(sql, async (tx) => {
    const standing = await lockOrganization(tx, orgId)
    const role = await ownRole(tx, orgId, id)
    const permissions = body.permissions === undefined ? role.permissions : [...new Set(body.permissions)]
    const name = body.name ?? role.name
    requireCounting(permissions, standing)
    requireHeld(caller, [...role.permissions, ...permissions])
    requireMatch(ifMatch, role)
    requireCustom(role)
    if (isReserved(name)) throw takenName()
    const changed = found(await updateRole(tx, { id, orgId, name, permissions }))
    if (role.permissions.includes('org:admin')) await requireAdministratorLeft(tx, orgId)
    await recordSuccess(tx, audit)
    await announceRole(tx, orgId, id)
    return changed
  })
}

const ownRole = async (tx: Tx, orgId: string, id: string) => found(await findRole(tx, orgId, id))

function requireCustom({ system }: Role): void {
  if (system) throw refuse('conflict', { detail: 'System roles are fixed.' })
}

/** Deletes a custom role without holders. */
export function deleteRole({ sql }: CommandDeps, caller: Caller, id: string, audit: AuditContext): Promise<undefined> {
  const { orgId } = caller
  return sql.begin(async (tx) => {
    await lockOrganization(tx, orgId)
    const role = await ownRole(tx, orgId, id)
    requireHeld(caller, role.permissions)
    requireCustom(role)
    if ((await findHolder(tx, orgId, id)).length > 0) throw refuse('in_use', { detail: 'Users hold the role.' })
    await dropRole(tx, orgId, id)
    await recordSuccess(tx, audit)
    await announceRole(tx, orgId, id)
    return undefined
  })
}
