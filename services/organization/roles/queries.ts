import type { Permission } from '../../../proto/permissions.ts'
import type { Sql } from '../../kit/db/client.ts'

export interface RoleRow {
  id: string
  orgId: string
  name: string
  permissions: readonly Permission[]
  system: boolean
}

export const insertRole = (sql: Sql, { id, orgId, name, permissions, system }: RoleRow, now: string) => sql`
  insert into organization.roles (id, org_id, name, permissions, system, created_at)
  values (${id}, ${orgId}, ${name}, ${[...permissions]}, ${system}, ${now})`

export const findRole = (sql: Sql, orgId: string, roleId: string) => sql<
  { id: string; name: string; permissions: Permission[]; system: boolean }[]
>`
  select id, name, permissions, system from organization.roles where org_id = ${orgId} and id = ${roleId}`

export const findRoleByName = (sql: Sql, orgId: string, name: string) => sql<
  { id: string; permissions: Permission[] }[]
>`
  select id, permissions from organization.roles where org_id = ${orgId} and name = ${name}`
