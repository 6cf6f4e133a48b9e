import type { Sql } from '../../../kit/db/client.ts'
import { contains } from '../../../kit/db/search.ts'
import type { DocumentRow, PageWindow } from '../../../kit/pagination/pagination.ts'
import type { Held, UserFilters, Viewer } from '../rules.ts'

/** What stands in the list behind everything that was read: as `position` says it. */
function behind(sql: Sql, column: 'id' | 'u.id' | 'user_id', after: string | undefined) {
  if (after === undefined) return sql``
  const space = after.lastIndexOf(' ')
  return sql`and (email_key, ${sql(column)}) > (${after.slice(0, space)}, ${after.slice(space + 1)})`
}

/** What a row of the directory shows to the viewer. */
const documentFor = (sql: Sql, { userId, seesAll }: Viewer) =>
  sql`case when ${seesAll} or d.id = ${userId} then d.full_document else d.document end`

const isLike = (sql: Sql, q: string) =>
  sql`(email_key like (select lower(${contains(q)})) or name_key like (select lower(${contains(q)})))`

/**
 * A page of the organization's users by e-mail address. Ids are found in one index, documents fetched for the page alone.
 * Who holds something is looked up once and kept as a set: a join would be planned for the average organization.
 */
export const listUsers = (
  sql: Sql,
  viewer: Viewer,
  { q, active, admin, permission, roleId, limit, offset, after }: UserFilters & PageWindow,
) => sql<DocumentRow[]>`
  select page.email_key || ' ' || page.id as position, ${documentFor(sql, viewer)} as document
  from (
    select id, email_key from organization.users u
    where org_id = ${viewer.orgId}
      ${behind(sql, 'id', after)}
      ${active === undefined ? sql`` : sql`and active = ${active}`}
      ${q === undefined ? sql`` : sql`and ${isLike(sql, q)}`}
      ${
        roleId === undefined
          ? sql``
          : sql`and (id in (
              select user_id from organization.user_roles where org_id = ${viewer.orgId} and role_id = ${roleId})) is true`
      }
      ${
        permission === undefined
          ? sql``
          : sql`and (id in (
              select user_id from organization.roles r join organization.user_roles ur on ur.role_id = r.id
              where r.org_id = ${viewer.orgId} and ${permission} = any(r.permissions))) is true`
      }
      ${
        admin === undefined
          ? sql``
          : sql`and (id in (
              select user_id from organization.roles r join organization.user_roles ur on ur.role_id = r.id
              where r.org_id = ${viewer.orgId} and 'org:admin' = any(r.permissions))) = ${admin}`
      }
    order by email_key, id limit ${limit} offset ${offset}
  ) page
  join organization.directory d on d.id = page.id
  order by page.email_key, page.id`

/** Filters as questions about one user after the other: cheap where few are asked about. */
const fits = (sql: Sql, orgId: string, { q, active, admin, permission, roleId }: UserFilters) => sql`
  ${active === undefined ? sql`` : sql`and u.active = ${active}`}
  ${q === undefined ? sql`` : sql`and ${isLike(sql, q)}`}
  ${roleId === undefined ? sql`` : sql`and ${holds(sql, orgId, { roleId })}`}
  ${permission === undefined ? sql`` : sql`and ${holds(sql, orgId, { permission })}`}
  ${admin === undefined ? sql`` : sql`and (${holds(sql, orgId, { permission: 'org:admin' })}) = ${admin}`}`

/**
 * Roles are looked up once, and one user's after the other: of `exists` Postgres could make a join, or a set of everybody
 * who holds them, as it would suit the average organization.
 */
const holds = (sql: Sql, orgId: string, held: Held) => sql`(
  select true from organization.user_roles ur
  where ur.user_id = u.id and ur.role_id = any(array(
    select r.id from organization.roles r where r.org_id = ${orgId} and ${carries(sql, held)}))
  limit 1) is true`

const carries = (sql: Sql, held: Held) =>
  'roleId' in held ? sql`r.id = ${held.roleId}` : sql`${held.permission} = any(r.permissions)`

/** How many users are looked at one by one before an index of their names, or of holders, is asked. */
export const FEW_USERS = 2000
/** More than Postgres could number. */
export const EVERYBODY = 2 ** 31 - 1

/** Those who fit among the next users in the list, or among `EVERYBODY`: where many fit, they fill the page. */
export const listNext = (
  sql: Sql,
  viewer: Viewer,
  filters: UserFilters,
  { limit, offset, after, among }: PageWindow & { among: number },
) => sql<DocumentRow[]>`
  select page.email_key || ' ' || page.id as position, ${documentFor(sql, viewer)} as document
  from (
    select id, email_key from (
      select id, email_key, name_key, active from organization.users
      where org_id = ${viewer.orgId} ${behind(sql, 'id', after)}
      order by email_key, id limit ${among}
    ) u
    where true ${fits(sql, viewer.orgId, filters)}
    order by email_key, id limit ${limit} offset ${offset}
  ) page
  join organization.directory d on d.id = page.id
  order by page.email_key, page.id`

/** Whether there are more users than are looked at one by one. */
export const findMore = (sql: Sql, orgId: string, after: string | undefined) => sql<{ id: string }[]>`
  select id from organization.users
  where org_id = ${orgId} ${behind(sql, 'id', after)}
  order by email_key, id limit 1 offset ${FEW_USERS}`

/** As many as are sooner fetched and put in order than all users of a large organization are looked at. */
export const FEW_MATCHES = 10_000

/** Without anybody who fits there is one row without a user. */
export type FewRow = { candidates: number } & (DocumentRow | { position: null; document: null })

/** Those who fit among the holders of something: all of them, unless there are more candidates than a few. */
export const listFewHolders = (
  sql: Sql,
  viewer: Viewer,
  held: Held,
  filters: UserFilters,
  { limit, offset, after }: PageWindow,
) => sql<FewRow[]>`
  with few as materialized (
    select ur.user_id as id from organization.roles r join organization.user_roles ur on ur.role_id = r.id
    where r.org_id = ${viewer.orgId} and ${carries(sql, held)} limit ${FEW_USERS + 1}
  ), counted as materialized (
    select count(*)::integer as candidates from few
  )
  select candidates, page.email_key || ' ' || page.id as position, ${documentFor(sql, viewer)} as document
  from counted
  left join (
    select distinct u.id, u.email_key from few join organization.users u on u.id = few.id
    where (select candidates from counted) <= ${FEW_USERS}
      ${behind(sql, 'u.id', after)} ${fits(sql, viewer.orgId, filters)}
    order by u.email_key, u.id limit ${limit} offset ${offset}
  ) page on true
  left join organization.directory d on d.id = page.id
  order by page.email_key, page.id`

/**
 * The same among those whose address or name has a text in it, by an index of what is in them. Joined to nothing, so that
 * the index of the list, which would be read from end to end, is not thought of. Put in order before the other filters, so
 * that these are asked about as many as fill the page.
 */
export const listFewLike = (
  sql: Sql,
  viewer: Viewer,
  { q, ...filters }: UserFilters & { q: string },
  { limit, offset, after }: PageWindow,
) => sql<FewRow[]>`
  with few as materialized (
    select id, email_key, active from organization.users
    where org_id || '' = ${viewer.orgId} and ${isLike(sql, q)} limit ${FEW_MATCHES + 1}
  ), counted as materialized (
    select count(*)::integer as candidates from few
  )
  select candidates, page.email_key || ' ' || page.id as position, ${documentFor(sql, viewer)} as document
  from counted
  left join (
    select id, email_key from (
      select id, email_key, active from few
      where (select candidates from counted) <= ${FEW_MATCHES} ${behind(sql, 'id', after)}
      order by email_key, id offset 0
    ) u
    where true ${fits(sql, viewer.orgId, filters)}
    order by email_key, id limit ${limit} offset ${offset}
  ) page on true
  left join organization.directory d on d.id = page.id
  order by page.email_key, page.id`

/**
 * A page of those who hold a role, or a key through any role. Each role gives its first holders in order, which is enough
 * for the first of all of them, however many there are.
 */
export const listHolders = (sql: Sql, viewer: Viewer, held: Held, { limit, offset, after }: PageWindow) => sql<
  DocumentRow[]
>`
  with page as materialized (
    select distinct holder.email_key, holder.user_id
    from organization.roles r
    cross join lateral (
      select email_key, user_id from organization.user_roles
      where role_id = r.id ${behind(sql, 'user_id', after)}
      order by email_key, user_id limit ${limit + offset}
    ) holder
    where r.org_id = ${viewer.orgId} and ${carries(sql, held)}
    order by holder.email_key, holder.user_id limit ${limit} offset ${offset}
  )
  select page.email_key || ' ' || page.user_id as position, ${documentFor(sql, viewer)} as document
  from page join organization.directory d on d.id = page.user_id
  order by page.email_key, page.user_id`

/** The roles that give something, and whether more than a few hold each. */
export const listRolesThatGive = (sql: Sql, orgId: string, held: Held) => sql<{ id: string; many: boolean }[]>`
  select r.id, exists (
    select from organization.user_roles ur where ur.role_id = r.id offset ${FEW_USERS}) as many
  from organization.roles r where r.org_id = ${orgId} and ${carries(sql, held)}`

/**
 * A page far on where only one role has many holders. Those who hold another one alone are few; as many are left out of
 * what is skipped of the large role, and what comes next of both is put in order: nothing else is sorted.
 */
export const listHoldersFarAhead = (
  sql: Sql,
  viewer: Viewer,
  { large, small }: { large: string; small: readonly string[] },
  { limit, offset, after }: PageWindow,
) => sql<DocumentRow[]>`
  with others as materialized (
    select distinct email_key, user_id from organization.user_roles other
    where role_id = any(${[...small]}) ${behind(sql, 'user_id', after)} and not exists (
      select from organization.user_roles ur where ur.user_id = other.user_id and ur.role_id = ${large})
  ), others_counted as materialized (
    select count(*) as others from others
  ), page as materialized (
    select email_key, user_id from (
      (select email_key, user_id from organization.user_roles
       where role_id = ${large} ${behind(sql, 'user_id', after)}
       order by email_key, user_id
       limit ${limit}::bigint + (select others from others_counted)
       offset greatest(0, ${offset}::bigint - (select others from others_counted)))
      union all
      select email_key, user_id from others
    ) holder
    order by email_key, user_id limit ${limit} offset least(${offset}::bigint, (select others from others_counted))
  )
  select page.email_key || ' ' || page.user_id as position, ${documentFor(sql, viewer)} as document
  from page join organization.directory d on d.id = page.user_id
  order by page.email_key, page.user_id`
