import type { Permission } from '../../../proto/permissions.ts'
import type { Fragment, Sql, Tx } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'

/**
 * Whether SCIM manages a user `u`: a person of a domain that the organization has proved. A domain whose proof was lost
 * counts, so that an outage of its DNS does not hide those who must be deactivated.
 */
const isManaged = (sql: Sql, orgId: string) => sql`(
  u.org_id = ${orgId} and u.kind = 'PERSON' and u.anonymised_at is null
  and split_part(u.email_key, '@', -1) = any(array(
    select domain from organization.identity_domains where org_id = ${orgId} and proved_at is not null)))`

/** The organization's roles of a domain's provider, if the proof of the domain is valid. */
export const findProvedDomain = (sql: Sql, orgId: string, domain: string) => sql<{ default_role_ids: string[] }[]>`
  select p.default_role_ids
  from organization.identity_domains d
  join organization.identity_providers p on p.org_id = d.org_id and p.id = d.provider_id
  where d.org_id = ${orgId} and d.domain = ${domain} and d.proved_at is not null and d.lost_at is null`

export interface Window {
  limit: number
  offset: number
}

export interface UserRow {
  id: string
  external_id: string | null
  email: string
  given_name: string
  family_name: string
  active: boolean
  created_at: string
  updated_at: string
}

const userColumns = (sql: Sql) => sql`
  u.id, u.external_id, u.email, u.given_name, u.family_name, u.active, u.created_at, u.updated_at`

export interface UserFilter {
  /** In the spelling of stored addresses. */
  email?: string
  externalId?: string
}

const matchesUser = (sql: Sql, orgId: string, { email, externalId }: UserFilter) =>
  and(
    sql,
    isManaged(sql, orgId),
    email !== undefined && sql`u.email_key = lower(${email})`,
    externalId !== undefined && sql`u.external_id = ${externalId}`,
  )

export const countUsers = (sql: Sql, orgId: string, filter: UserFilter) => sql<[{ count: number }]>`
  select count(*)::int as count from organization.users u where ${matchesUser(sql, orgId, filter)}`

export const listUsers = (sql: Sql, orgId: string, filter: UserFilter, { limit, offset }: Window) => sql<UserRow[]>`
  select ${userColumns(sql)} from organization.users u where ${matchesUser(sql, orgId, filter)}
  order by u.email_key, u.id limit ${limit} offset ${offset}`

export const findUser = (sql: Sql, orgId: string, id: string) => sql<UserRow[]>`
  select ${userColumns(sql)} from organization.users u where u.id = ${id} and ${isManaged(sql, orgId)}`

export const setExternalIdOfUser = (tx: Tx, orgId: string, id: string, externalId: string | null, now: string) => tx`
  update organization.users set external_id = ${externalId}, updated_at = ${now}
  where org_id = ${orgId} and id = ${id}`

export interface GroupRow {
  id: string
  external_id: string | null
  name: string
  permissions: Permission[]
  created_at: string
  /** Changes with the members. */
  members_digest: string
}

export interface GroupFilter {
  displayName?: string
  externalId?: string
}

const matchesGroup = (sql: Sql, orgId: string, { displayName, externalId }: GroupFilter) =>
  and(
    sql,
    sql`r.org_id = ${orgId}`,
    displayName !== undefined && sql`lower(r.name) = lower(${displayName})`,
    externalId !== undefined && sql`r.external_id = ${externalId}`,
  )

const groupsWhere = (sql: Sql, orgId: string, condition: Fragment) => sql`
  select r.id, r.external_id, r.name, r.permissions, r.created_at,
    (select concat(count(*), ' ', sum(hashtextextended(u.id, 0)))
     from organization.user_roles ur join organization.users u on u.id = ur.user_id
     where ur.role_id = r.id and ${isManaged(sql, orgId)}) as members_digest
  from organization.roles r where ${condition}`

export const countGroups = (sql: Sql, orgId: string, filter: GroupFilter) => sql<[{ count: number }]>`
  select count(*)::int as count from organization.roles r where ${matchesGroup(sql, orgId, filter)}`

export const listGroups = (sql: Sql, orgId: string, filter: GroupFilter, { limit, offset }: Window) => sql<GroupRow[]>`
  ${groupsWhere(sql, orgId, matchesGroup(sql, orgId, filter))}
  order by r.name, r.id limit ${limit} offset ${offset}`

export const findGroup = (sql: Sql, orgId: string, id: string) => sql<GroupRow[]>`
  ${groupsWhere(sql, orgId, sql`r.org_id = ${orgId} and r.id = ${id}`)}`

export interface MemberRow {
  role_id: string
  id: string
  name: string
}

/** The members of roles, in the order of their addresses. */
export const listMembers = (sql: Sql, orgId: string, roleIds: readonly string[], limit: number) => sql<MemberRow[]>`
  select ur.role_id, u.id, concat(u.given_name, ' ', u.family_name) as name
  from organization.user_roles ur join organization.users u on u.id = ur.user_id
  where ur.role_id = any(${[...roleIds]}) and ur.org_id = ${orgId} and ${isManaged(sql, orgId)}
  order by ur.role_id, u.email_key, u.id limit ${limit}`

/** The members other than these. */
export const listOtherMembers = (tx: Tx, orgId: string, roleId: string, ids: readonly string[]) => tx<{ id: string }[]>`
  select u.id from organization.user_roles ur join organization.users u on u.id = ur.user_id
  where ur.role_id = ${roleId} and ur.org_id = ${orgId} and ${isManaged(tx, orgId)} and u.id <> all(${[...ids]})`

/** Those of the ids that are users whom SCIM manages. */
export const listManaged = (tx: Tx, orgId: string, ids: readonly string[]) => tx<{ id: string }[]>`
  select u.id from organization.users u where u.id = any(${[...ids]}) and ${isManaged(tx, orgId)}`

export const setExternalIdOfRole = (tx: Tx, orgId: string, id: string, externalId: string | null) => tx`
  update organization.roles set external_id = ${externalId} where org_id = ${orgId} and id = ${id}`
