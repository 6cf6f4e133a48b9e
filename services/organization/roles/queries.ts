import type { FiltersOf } from '../../../proto/http/operation.ts'
import type * as api from '../../../proto/http/organization/roles.ts'
import type { Role } from '../../../proto/http/organization/roles.ts'
import type { Permission } from '../../../proto/permissions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { and, contains } from '../../kit/db/conditions.ts'
import { nameKeyAt } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'

interface RoleRow {
  id: string
  orgId: string
  name: string
  permissions: readonly Permission[]
  system: boolean
}

/** The roles of the organization by name. */
export function listRoles(
  sql: Sql,
  orgId: string,
  { q, userId, permission }: FiltersOf<typeof api.listRoles>,
  { after, limit, offset }: PageWindow,
) {
  const { name, id } = nameKeyAt(after)
  return sql<Role[]>`
  select id, name, permissions, system from organization.roles
  where org_id = ${orgId} and (name, id) > (${name}, ${id}) and ${and(
    sql,
    q !== undefined && sql`name ilike ${contains(q)}`,
    permission !== undefined && sql`${permission} = any(permissions)`,
    userId !== undefined &&
      sql`id in (select role_id from organization.user_roles where org_id = ${orgId} and user_id = ${userId})`,
  )}
  order by name, id limit ${limit} offset ${offset}`
}

export const insertRole = (sql: Sql, { id, orgId, name, permissions, system }: RoleRow, now: string) => sql`
  insert into organization.roles (id, org_id, name, permissions, system, created_at)
  values (${id}, ${orgId}, ${name}, ${[...permissions]}, ${system}, ${now})`

type FoundRole = Omit<Role, 'permissions'> & { permissions: Permission[] }

export const findRole = (sql: Sql, orgId: string, roleId: string) => sql<FoundRole[]>`
  select id, name, permissions, system from organization.roles where org_id = ${orgId} and id = ${roleId}`

export const findRoles = (sql: Sql, orgId: string, roleIds: readonly string[]) => sql<FoundRole[]>`
  select id, name, permissions, system from organization.roles
  where org_id = ${orgId} and id = any(${[...roleIds]})`

export const findRoleByName = (sql: Sql, orgId: string, name: string) => sql<
  { id: string; permissions: Permission[] }[]
>`
  select id, permissions from organization.roles where org_id = ${orgId} and name = ${name}`

export const listRolesOf = (sql: Sql, orgId: string) => sql<FoundRole[]>`
  select id, name, permissions, system from organization.roles where org_id = ${orgId}`

export const countCustomRoles = (sql: Sql, orgId: string) => sql<[{ count: number }]>`
  select count(*)::int as count from organization.roles where org_id = ${orgId} and not system`

export const updateRole = (tx: Tx, { id, orgId, name, permissions }: Omit<RoleRow, 'system'>) => tx<FoundRole[]>`
  update organization.roles set name = ${name}, permissions = ${[...permissions]}
  where org_id = ${orgId} and id = ${id}
  returning id, name, permissions, system`

/** One holder of the role, active or not. */
export const findHolder = (sql: Sql, orgId: string, roleId: string) => sql<{ user_id: string }[]>`
  select user_id from organization.user_roles where org_id = ${orgId} and role_id = ${roleId} limit 1`

/** A provider that grants the role. */
export const findProviderGranting = (sql: Sql, orgId: string, roleId: string) => sql<{ id: string }[]>`
  select id from organization.identity_providers
  where org_id = ${orgId} and (${roleId} = any(default_role_ids)
    or exists (select from jsonb_each_text(group_roles) mapped where mapped.value = ${roleId}))
  limit 1`

/** Providers no longer grant the role, by default or for a group. */
export const removeRoleFromProviders = (
  tx: Tx,
  { orgId, roleId }: { orgId: string; roleId: string },
  now: string,
) => tx`
  update organization.identity_providers set updated_at = ${now},
    default_role_ids = array_remove(default_role_ids, ${roleId}),
    group_roles = case when group_roles is not null then (
      select coalesce(jsonb_object_agg(mapped.key, mapped.value), '{}')
      from jsonb_each_text(group_roles) mapped where mapped.value <> ${roleId}) end
  where org_id = ${orgId} and (${roleId} = any(default_role_ids)
    or exists (select from jsonb_each_text(group_roles) mapped where mapped.value = ${roleId}))`

export const deleteRole = (tx: Tx, orgId: string, roleId: string) => tx`
  delete from organization.roles where org_id = ${orgId} and id = ${roleId}`

export interface RoleOf {
  orgId: string
  userIds: readonly string[]
  roleId: string
}

/** Grants a role to those of the users of the organization who lack it. Returns them. */
export const grantRoleTo = (sql: Sql, { orgId, userIds, roleId }: RoleOf) => sql<{ user_id: string }[]>`
  insert into organization.user_roles (org_id, user_id, role_id, email_key)
  select org_id, id, ${roleId}, email_key from organization.users where org_id = ${orgId} and id = any(${[...userIds]})
  on conflict do nothing
  returning user_id`

/** Withdraws a role from those of the users who hold it. Returns them. */
export const withdrawRoleFrom = (tx: Tx, { orgId, userIds, roleId }: RoleOf) => tx<{ user_id: string }[]>`
  delete from organization.user_roles
  where org_id = ${orgId} and role_id = ${roleId} and user_id = any(${[...userIds]})
  returning user_id`

export const withdrawRoleFromAll = (tx: Tx, orgId: string, roleId: string) => tx`
  delete from organization.user_roles where org_id = ${orgId} and role_id = ${roleId}`

export const withdrawAllRoles = (tx: Tx, orgId: string, userId: string) => tx`
  delete from organization.user_roles where org_id = ${orgId} and user_id = ${userId}`
