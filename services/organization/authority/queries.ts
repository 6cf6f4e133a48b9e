import type { OrgRole, Permission } from '../../../proto/permissions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'

/** Commands on the users and roles of one organization take turns: each sees what the one before has left. */
export const lockOrganizationRow = (tx: Tx, orgId: string) => tx<{ roles: OrgRole[]; operator: boolean }[]>`
  select roles, operator from organization.organizations where id = ${orgId} for no key update`

/** What the user's roles list, whether or not the user is active. */
export const listKeys = (sql: Sql, orgId: string, userId: string) => sql<{ key: Permission }[]>`
  select distinct key
  from organization.user_roles ur
  join organization.roles r on r.org_id = ur.org_id and r.id = ur.role_id
  cross join unnest(r.permissions) key
  where ur.org_id = ${orgId} and ur.user_id = ${userId}`

/** One row where somebody active administrates the organization. */
export const findAdministrator = (sql: Sql, orgId: string) => sql<{ id: string }[]>`
  select u.id
  from organization.roles r
  join organization.user_roles ur on ur.role_id = r.id
  join organization.users u on u.id = ur.user_id
  where r.org_id = ${orgId} and 'org:admin' = any(r.permissions) and u.active
  limit 1`
