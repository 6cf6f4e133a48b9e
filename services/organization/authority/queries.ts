import type { OrgRole, Permission } from '../../../proto/permissions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'

/** The row lock serializes commands on users and roles, so that each sees the changes of the previous one. */
export const lockOrganizationRow = (tx: Tx, orgId: string) => tx<{ roles: OrgRole[]; operator: boolean }[]>`
  select roles, operator from organization.organizations where id = ${orgId} for no key update`

/** The permissions of all roles of the user, whether or not the user is active. */
export const listPermissions = (sql: Sql, orgId: string, userId: string) => sql<{ permission: Permission }[]>`
  select distinct permission
  from organization.user_roles ur
  join organization.roles r on r.org_id = ur.org_id and r.id = ur.role_id
  cross join unnest(r.permissions) permission
  where ur.org_id = ${orgId} and ur.user_id = ${userId}`

/** Returns a row if the organization has an active administrator that is not a service account. */
export const findAdministrator = (sql: Sql, orgId: string) => sql<{ id: string }[]>`
  select u.id
  from organization.roles r
  join organization.user_roles ur on ur.role_id = r.id
  join organization.users u on u.id = ur.user_id
  where r.org_id = ${orgId} and 'org:admin' = any(r.permissions) and u.active and u.kind = 'PERSON'
  limit 1`

export const findUser = (sql: Sql, orgId: string, userId: string) => sql<
  { id: string; email: string; active: boolean; anonymised: boolean; kind: 'PERSON' | 'SERVICE' }[]
>`
  select id, email, active, kind, anonymised_at is not null as anonymised
  from organization.users where org_id = ${orgId} and id = ${userId}`
