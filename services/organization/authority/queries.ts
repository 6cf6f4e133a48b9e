import type { OrgRole, Permission } from '../../../proto/permissions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import type { Lineage } from './rules.ts'

/** The row lock serializes commands on users and roles, so that each sees the changes of the previous one. */
export const lockOrganizationRow = (tx: Tx, orgId: string) => tx<{ roles: OrgRole[]; operator: boolean }[]>`
  select roles, operator from organization.organizations where id = ${orgId} for no key update`

/** The permissions of all roles of the user, or of all users, whether or not they are active. */
export const listPermissions = (sql: Sql, orgId: string, userId?: string) => sql<{ permission: Permission }[]>`
  select distinct permission
  from organization.user_roles ur
  join organization.roles r on r.org_id = ur.org_id and r.id = ur.role_id
  cross join unnest(r.permissions) permission
  where ur.org_id = ${orgId} and ${and(sql, userId !== undefined && sql`ur.user_id = ${userId}`)}`

/** Returns a row if the organization has an active administrator that is not a service account. */
export const findAdministrator = (sql: Sql, orgId: string) => sql<{ id: string }[]>`
  select u.id
  from organization.roles r
  join organization.user_roles ur on ur.role_id = r.id
  join organization.users u on u.id = ur.user_id
  where r.org_id = ${orgId} and 'org:admin' = any(r.permissions) and u.active and u.kind = 'PERSON'
  limit 1`

/** An enforced provider whose break-glass administrator is no longer an active administrator. */
export const findProviderWithoutBreakGlass = (sql: Sql, orgId: string) => sql<{ name: string }[]>`
  select p.name from organization.identity_providers p
  where p.org_id = ${orgId} and p.enforce and not exists (
    select from organization.users u
    join organization.user_roles ur on ur.org_id = u.org_id and ur.user_id = u.id
    join organization.roles r on r.id = ur.role_id
    where u.org_id = ${orgId} and u.id = p.break_glass_user_id and u.active and 'org:admin' = any(r.permissions))
  limit 1`

export const findUser = (sql: Sql, orgId: string, userId: string) => sql<
  { id: string; email: string; active: boolean; anonymised: boolean; kind: 'PERSON' | 'SERVICE' }[]
>`
  select id, email, active, kind, anonymised_at is not null as anonymised
  from organization.users where org_id = ${orgId} and id = ${userId}`

/** The live keys of service accounts, with the permissions of its other roles and of each of its keepers. */
export const listKeptKeys = (
  tx: Tx,
  { orgId, roleId, userId }: { orgId: string; roleId: string; userId?: string | undefined },
  now: string,
) => tx<{ id: string; permissions: Permission[]; keeper_permissions: Permission[] }[]>`
  select k.id,
    array(
      select distinct permission from organization.user_roles ur
      join organization.roles r on r.id = ur.role_id cross join unnest(r.permissions) permission
      where ur.org_id = ${orgId} and ur.user_id = k.user_id and ur.role_id <> ${roleId}) as permissions,
    array(
      select permission from organization.users keeper
      join organization.user_roles ur on ur.user_id = keeper.id
      join organization.roles r on r.id = ur.role_id cross join unnest(r.permissions) permission
      where keeper.org_id = ${orgId} and keeper.id = any(kept.keeper_ids) and keeper.active
      group by permission having count(distinct keeper.id) = cardinality(kept.keeper_ids)) as keeper_permissions
  from organization.user_roles holder
  join organization.service_account_keys k on k.org_id = holder.org_id and k.user_id = holder.user_id
  cross join lateral (select coalesce(k.keeper_ids, array[k.created_by]) as keeper_ids) kept
  where holder.org_id = ${orgId} and holder.role_id = ${roleId}
    and ${and(tx, userId !== undefined && tx`holder.user_id = ${userId}`)}
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
  order by k.id`

export const findLineage = (tx: Tx, orgId: string, id: string) => tx<{ lineage: Lineage }[]>`
  select lineage from organization.users where org_id = ${orgId} and id = ${id}`

export interface UsedKey {
  keeper_ids: string[]
  origin_at: string
  networks: string[]
  expires_at: string | null
}

/** What a key hands on to those that are created with it. */
export const findKeyOrigin = (tx: Tx, { orgId, userId, id }: { orgId: string; userId: string; id: string }) => tx<
  (UsedKey & { lineage: Lineage })[]
>`
  select lineage, coalesce(keeper_ids, array[created_by]) as keeper_ids,
    coalesce(origin_at, created_at) as origin_at, networks, expires_at
  from organization.service_account_keys where org_id = ${orgId} and user_id = ${userId} and id = ${id}`
