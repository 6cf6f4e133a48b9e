import type { Sql, Tx } from '../../kit/db/client.ts'
import { contains } from '../../kit/db/search.ts'
import type { PositionedRow } from '../../kit/pages/pages.ts'
import { ERASED, type Held, type UserFilters, type Viewer } from './rules.ts'

export interface Window {
  limit: number
  offset: number
  /** Where the page before ended. */
  after?: string | undefined
}

/** What stands in the list behind everything that was read: as `position` says it. */
function behind(sql: Sql, column: 'id' | 'user_id', after: string | undefined) {
  if (after === undefined) return sql``
  const space = after.lastIndexOf(' ')
  return sql`and (email_key, ${sql(column)}) > (${after.slice(0, space)}, ${after.slice(space + 1)})`
}

/** A user of the viewer's organization, as the viewer may see them. */
export const findUserDocument = (sql: Sql, { orgId, userId, seesAll }: Viewer, id: string) => sql<
  { document: string }[]
>`
  select case when ${seesAll} or id = ${userId} then full_document else document end as document
  from organization.directory where org_id = ${orgId} and id = ${id}`

/**
 * A page of the organization's users by e-mail address. Ids are found in one index, documents fetched for the page alone.
 * Who holds something is looked up once and kept as a set: a join would be planned for the average organization.
 */
export const listUsers = (
  sql: Sql,
  { orgId, userId, seesAll }: Viewer,
  { q, active, admin, permission, roleId, limit, offset, after }: UserFilters & Window,
) => sql<PositionedRow[]>`
  select page.email_key || ' ' || page.id as position,
    case when ${seesAll} or page.id = ${userId} then d.full_document else d.document end as document
  from (
    select id, email_key from organization.users u
    where org_id = ${orgId}
      ${behind(sql, 'id', after)}
      ${active === undefined ? sql`` : sql`and active = ${active}`}
      ${
        q === undefined
          ? sql``
          : sql`and (email_key like (select lower(${contains(q)})) or name_key like (select lower(${contains(q)})))`
      }
      ${
        roleId === undefined
          ? sql``
          : sql`and (id in (
              select user_id from organization.user_roles where org_id = ${orgId} and role_id = ${roleId})) is true`
      }
      ${
        permission === undefined
          ? sql``
          : sql`and (id in (
              select user_id from organization.roles r join organization.user_roles ur on ur.role_id = r.id
              where r.org_id = ${orgId} and ${permission} = any(r.permissions))) is true`
      }
      ${
        admin === undefined
          ? sql``
          : sql`and (id in (
              select user_id from organization.roles r join organization.user_roles ur on ur.role_id = r.id
              where r.org_id = ${orgId} and 'org:admin' = any(r.permissions))) = ${admin}`
      }
    order by email_key, id limit ${limit} offset ${offset}
  ) page
  join organization.directory d on d.id = page.id
  order by page.email_key, page.id`

/**
 * A page of those who hold a role, or a key through any role. Each role gives its first holders in order, which is enough
 * for the first of all of them, however many there are.
 */
export const listHolders = (
  sql: Sql,
  { orgId, userId, seesAll }: Viewer,
  held: Held,
  { limit, offset, after }: Window,
) => sql<PositionedRow[]>`
  with page as materialized (
    select distinct holder.email_key, holder.user_id
    from organization.roles r
    cross join lateral (
      select email_key, user_id from organization.user_roles
      where role_id = r.id ${behind(sql, 'user_id', after)}
      order by email_key, user_id limit ${limit + offset}
    ) holder
    where r.org_id = ${orgId}
      and ${'roleId' in held ? sql`r.id = ${held.roleId}` : sql`${held.permission} = any(r.permissions)`}
    order by holder.email_key, holder.user_id limit ${limit} offset ${offset}
  )
  select page.email_key || ' ' || page.user_id as position,
    case when ${seesAll} or d.id = ${userId} then d.full_document else d.document end as document
  from page join organization.directory d on d.id = page.user_id
  order by page.email_key, page.user_id`

export interface UserRow {
  id: string
  orgId: string
  email: string
  givenName: string
  familyName: string
  phone: string | null
}

export const insertUser = (sql: Sql, { id, orgId, email, givenName, familyName, phone }: UserRow, now: string) => sql`
  insert into organization.users
    (id, org_id, email, given_name, family_name, phone, credentials_valid_from, created_at, updated_at)
  values (${id}, ${orgId}, ${email}, ${givenName}, ${familyName}, ${phone}, ${now}, ${now}, ${now})`

export const findUser = (sql: Sql, orgId: string, userId: string) => sql<
  { id: string; active: boolean; anonymised: boolean }[]
>`
  select id, active, anonymised_at is not null as anonymised
  from organization.users where org_id = ${orgId} and id = ${userId}`

export const findUserByEmail = (sql: Sql, email: string) => sql<{ id: string; org_id: string; active: boolean }[]>`
  select id, org_id, active from organization.users where email_key = lower(${email}) and anonymised_at is null`

export interface PersonChange {
  email?: string | undefined
  givenName?: string | undefined
  familyName?: string | undefined
  /** null clears it, undefined leaves it. */
  phone?: string | null | undefined
}

export const updatePerson = (tx: Tx, orgId: string, userId: string, change: PersonChange, now: string) => tx`
  update organization.users set
    email = coalesce(${change.email ?? null}, email),
    given_name = coalesce(${change.givenName ?? null}, given_name),
    family_name = coalesce(${change.familyName ?? null}, family_name),
    phone = case when ${change.phone !== undefined} then ${change.phone ?? null} else phone end,
    updated_at = ${now}
  where org_id = ${orgId} and id = ${userId}`

export interface ActivationRow {
  hash: Uint8Array
  userId: string
  /** Who knows the link until it is used; null for the operator of the platform. */
  madeBy: string | null
  expiresAt: string
}

export const insertActivation = (sql: Sql, { hash, userId, madeBy, expiresAt }: ActivationRow, now: string) => sql`
  insert into organization.activations (token_hash, user_id, made_by, created_at, expires_at)
  values (${Buffer.from(hash)}, ${userId}, ${madeBy}, ${now}, ${expiresAt})`

export const deleteActivations = (tx: Tx, userId: string) => tx`
  delete from organization.activations where user_id = ${userId}`

const LINKS_AT_A_TIME = 1000

/** Links that nobody can use any more. */
export const sweepActivations = (sql: Sql, now: string) => sql`
  delete from organization.activations where token_hash = any(array(
    select token_hash from organization.activations where expires_at < ${now} order by expires_at
    limit ${LINKS_AT_A_TIME}))`

/** No row where the user holds the role already, or either is not of the organization. */
export const grantRoleTo = (
  sql: Sql,
  { orgId, userId, roleId }: { orgId: string; userId: string; roleId: string },
) => sql<{ user_id: string }[]>`
  insert into organization.user_roles (org_id, user_id, role_id, email_key)
  select org_id, id, ${roleId}, email_key from organization.users where org_id = ${orgId} and id = ${userId}
  on conflict do nothing
  returning user_id`

/** Passwords set and tokens issued before now are void from now on. */
export const voidCredentials = (sql: Sql, userId: string, now: string) => sql`
  update organization.users set credentials_valid_from = ${now}, updated_at = ${now} where id = ${userId}`

export const activate = (tx: Tx, orgId: string, userId: string, now: string) => tx<{ id: string }[]>`
  update organization.users set active = true, updated_at = ${now}
  where org_id = ${orgId} and id = ${userId} and not active and anonymised_at is null
  returning id`

/** Tokens issued before now stay void, also when the user is activated again. */
export const deactivate = (tx: Tx, orgId: string, userId: string, now: string) => tx<{ id: string }[]>`
  update organization.users set active = false, sessions_valid_from = ${now}, updated_at = ${now}
  where org_id = ${orgId} and id = ${userId} and active
  returning id`

export const eraseUser = (tx: Tx, orgId: string, userId: string, now: string) => tx<{ id: string }[]>`
  update organization.users set
    email = ${ERASED}, given_name = ${ERASED}, family_name = ${ERASED}, phone = null, active = false,
    anonymised_at = ${now}, credentials_valid_from = ${now}, sessions_valid_from = ${now}, updated_at = ${now}
  where org_id = ${orgId} and id = ${userId} and anonymised_at is null
  returning id`

export const withdrawAllRoles = (tx: Tx, orgId: string, userId: string) => tx`
  delete from organization.user_roles where org_id = ${orgId} and user_id = ${userId}`
