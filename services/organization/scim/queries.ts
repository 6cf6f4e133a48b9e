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

/**
 * Whether a role that a user holds, `ur`, makes the user a member: one whom SCIM manages. It needs no look-up of the
 * user: the address is copied, that of a service account is of no person, and an anonymised user holds no role.
 */
const isMembership = (sql: Sql, orgId: string) => sql`(
  ur.org_id = ${orgId} and ur.email_key not like '%@service-accounts.%'
  and split_part(ur.email_key, '@', -1) = any(array(
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

interface UserFilter {
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

interface GroupFilter {
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

/**
 * Roles with a digest of their members, in the order of the page. The memberships of all of them are read at once,
 * because one look-up for each role was slow while Postgres had no statistics of new users.
 */
const withDigests = (sql: Sql, orgId: string, page: Fragment) => sql`
  with page as materialized (
    select r.id, r.external_id, r.name, r.permissions, r.created_at from organization.roles r where ${page}),
  members as materialized (
    select ur.role_id, concat(count(*), ' ', sum(hashtextextended(ur.user_id, 0))) as digest
    from organization.user_roles ur
    where ur.role_id = any(array(select id from page)) and ${isMembership(sql, orgId)}
    group by ur.role_id)
  select page.id, page.external_id, page.name, page.permissions, page.created_at,
    coalesce(members.digest, '') as members_digest
  from page left join members on members.role_id = page.id
  order by page.name, page.id`

export const countGroups = (sql: Sql, orgId: string, filter: GroupFilter) => sql<[{ count: number }]>`
  select count(*)::int as count from organization.roles r where ${matchesGroup(sql, orgId, filter)}`

export const listGroups = (sql: Sql, orgId: string, filter: GroupFilter, { limit, offset }: Window) => sql<GroupRow[]>`
  ${withDigests(
    sql,
    orgId,
    sql`${matchesGroup(sql, orgId, filter)} order by r.name, r.id limit ${limit} offset ${offset}`,
  )}`

export const findGroup = (sql: Sql, orgId: string, id: string) => sql<GroupRow[]>`
  ${withDigests(sql, orgId, sql`r.org_id = ${orgId} and r.id = ${id}`)}`

export interface MemberRow {
  role_id: string
  id: string
  name: string
}

/** The members of roles, in the order of their addresses. */
export async function listMembers(sql: Sql, orgId: string, roleIds: readonly string[], limit: number) {
  const members = await sql<{ role_id: string; id: string }[]>`
    select ur.role_id, ur.user_id as id from organization.user_roles ur
    where ur.role_id = any(${[...roleIds]}) and ${isMembership(sql, orgId)}
    order by ur.role_id, ur.email_key, ur.user_id limit ${limit}`
  const users = await sql<{ id: string; name: string }[]>`
    select id, concat(given_name, ' ', family_name) as name from organization.users
    where org_id = ${orgId} and id = any(${[...new Set(members.map(({ id }) => id))]})`
  const names = new Map(users.map(({ id, name }) => [id, name]))
  return members.map((member): MemberRow => ({ ...member, name: names.get(member.id) ?? '' }))
}

/** The members other than these. */
export const listOtherMembers = (tx: Tx, orgId: string, roleId: string, ids: readonly string[]) => tx<{ id: string }[]>`
  select ur.user_id as id from organization.user_roles ur
  where ur.role_id = ${roleId} and ${isMembership(tx, orgId)} and ur.user_id <> all(${[...ids]})`

/** Those of the ids that are users whom SCIM manages. */
export const listManaged = (tx: Tx, orgId: string, ids: readonly string[]) => tx<{ id: string }[]>`
  select u.id from organization.users u where u.id = any(${[...ids]}) and ${isManaged(tx, orgId)}`

export const setExternalIdOfRole = (tx: Tx, orgId: string, id: string, externalId: string | null) => tx`
  update organization.roles set external_id = ${externalId} where org_id = ${orgId} and id = ${id}`
