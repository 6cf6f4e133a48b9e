import type { Sql } from '../../kit/db/client.ts'
import { contains } from '../../kit/db/like.ts'
import { nameKeyAt } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import type { Authority, UserFilters, Viewer } from './rules.ts'

/*
 * Each statement finds ids in indexes and fetches documents for the page alone. Conditions on roles are scalar
 * subqueries and hashed sets: a join would be planned for the average organization, which has a hundred users.
 */

/** The JSON of a row `d` of the directory for the viewer. */
const documentFor = (sql: Sql, { userId, seesAll }: Viewer) =>
  sql`case when ${seesAll} or d.id = ${userId} then d.full_document else d.document end`

const matchesText = (sql: Sql, q: string) =>
  sql`(email_key like (select lower(${contains(q)})) or name_key like (select lower(${contains(q)})))`

const givesAuthority = (sql: Sql, authority: Authority) =>
  'roleId' in authority ? sql`r.id = ${authority.roleId}` : sql`${authority.permission} = any(r.permissions)`

const ADMINISTRATION: Authority = { permission: 'org:admin' }

/** Users by e-mail address, filtered one after the other; `maxScanned` limits the number of users that are read. */
export function scanUsers(
  sql: Sql,
  viewer: Viewer,
  { q, active, admin, permission, roleId }: UserFilters,
  { after, limit, offset }: PageWindow,
  maxScanned?: number,
) {
  const { name: email, id } = nameKeyAt(after)
  const holders = (authority: Authority) => sql`(
    select ur.user_id from organization.roles r join organization.user_roles ur on ur.role_id = r.id
    where r.org_id = ${viewer.orgId} and ${givesAuthority(sql, authority)})`
  return sql<DocumentRow[]>`
    select page.email_key || ' ' || page.id as position, ${documentFor(sql, viewer)} as document
    from (
      select id, email_key from (
        select id, email_key, name_key, active from organization.users
        where org_id = ${viewer.orgId} and (email_key, id) > (${email}, ${id})
        ${maxScanned === undefined ? sql`` : sql`order by email_key, id limit ${maxScanned}`}
      ) u
      where true
        ${active === undefined ? sql`` : sql`and active = ${active}`}
        ${q === undefined ? sql`` : sql`and ${matchesText(sql, q)}`}
        ${roleId === undefined ? sql`` : sql`and (id in ${holders({ roleId })}) is true`}
        ${permission === undefined ? sql`` : sql`and (id in ${holders({ permission })}) is true`}
        ${admin === undefined ? sql`` : sql`and (id in ${holders(ADMINISTRATION)}) = ${admin}`}
      order by email_key, id limit ${limit} offset ${offset}
    ) page
    join organization.directory d on d.id = page.id
    order by page.email_key, page.id`
}

/** People by e-mail address, with whether their invitation waits. Service accounts have an index of their own. */
export const listPeople = (
  sql: Sql,
  viewer: Viewer,
  { q, active }: Pick<UserFilters, 'q' | 'active'>,
  { after, limit, offset }: PageWindow,
) => {
  const { name: email, id } = nameKeyAt(after)
  return sql<DocumentRow[]>`
    select page.email_key || ' ' || page.id as position,
      concat(left(${documentFor(sql, viewer)}, -1), ',"invited":', to_json(u.active and not exists (
        select from identity.password_directory p
        where p.user_id = u.id and p.password_version = u.password_version)), '}') as document
    from (
      select id, email_key from organization.users
      where org_id = ${viewer.orgId} and kind = 'PERSON' and (email_key, id) > (${email}, ${id})
        ${active === undefined ? sql`` : sql`and active = ${active}`}
        ${q === undefined ? sql`` : sql`and ${matchesText(sql, q)}`}
      order by email_key, id limit ${limit} offset ${offset}
    ) page
    join organization.directory d on d.id = page.id
    join organization.users u on u.id = page.id
    order by page.email_key, page.id`
}

/** Filters of one user `u`: cheaper than sets if few users are filtered. */
const matchesFilters = (sql: Sql, orgId: string, { q, active, admin, permission, roleId }: UserFilters) => sql`
  ${active === undefined ? sql`` : sql`and u.active = ${active}`}
  ${q === undefined ? sql`` : sql`and ${matchesText(sql, q)}`}
  ${roleId === undefined ? sql`` : sql`and ${holds(sql, orgId, { roleId })}`}
  ${permission === undefined ? sql`` : sql`and ${holds(sql, orgId, { permission })}`}
  ${admin === undefined ? sql`` : sql`and (${holds(sql, orgId, ADMINISTRATION)}) = ${admin}`}`

const holds = (sql: Sql, orgId: string, authority: Authority) => sql`(
  select true from organization.user_roles ur
  where ur.user_id = u.id and ur.role_id = any(array(
    select r.id from organization.roles r where r.org_id = ${orgId} and ${givesAuthority(sql, authority)}))
  limit 1) is true`

/** Roles whose holders are merged in the order of their index. The holders of further roles are sorted. */
const MERGED_ROLES = 4

/**
 * The first holders of the roles that give the authority, each user once, by e-mail address. One query for each role
 * lets Postgres merge the parts of the index: to sort the holders of a common role took five times as long.
 */
function firstHolders(sql: Sql, orgId: string, authority: Authority, after: string | undefined, maxCandidates: number) {
  const { name: email, id } = nameKeyAt(after)
  const holdersOf = (role: ReturnType<Sql>) => sql`
    select email_key, user_id from organization.user_roles
    where role_id = ${role} and (email_key, user_id) > (${email}, ${id})
    order by email_key, user_id limit ${maxCandidates}`
  const roles = sql`
    select r.id from organization.roles r where r.org_id = ${orgId} and ${givesAuthority(sql, authority)} order by r.id`
  const merged = Array.from(
    { length: MERGED_ROLES },
    (_, place) => sql`(${holdersOf(sql`(${roles} offset ${place} limit 1)`)}) union all`,
  )
  return sql`
    select distinct email_key, user_id as id
    from (
      ${merged} (
        select holder.email_key, holder.user_id
        from (${roles} offset ${MERGED_ROLES}) r cross join lateral (${holdersOf(sql`r.id`)}) holder
        order by holder.email_key, holder.user_id)
    ) holder
    order by email_key, user_id`
}

/** The holders of a role or permission by e-mail address. */
export const listHolders = (
  sql: Sql,
  viewer: Viewer,
  authority: Authority,
  { after, limit, offset }: PageWindow,
) => sql<DocumentRow[]>`
  select page.email_key || ' ' || page.id as position, ${documentFor(sql, viewer)} as document
  from (${firstHolders(sql, viewer.orgId, authority, after, offset + limit)} limit ${limit} offset ${offset}) page
  join organization.directory d on d.id = page.id
  order by page.email_key, page.id`

/**
 * The users whose address or name contains a text, by the trigram index and in no order. The condition on the
 * organization is the one of that index, because with `org_id` itself the planner would read the whole organization in
 * the index of the list.
 */
function matchesOf(sql: Sql, orgId: string, q: string, after: string | undefined) {
  const { name: email, id } = nameKeyAt(after)
  return sql`
    select email_key, id from organization.users
    where org_id || '' = ${orgId} and ${matchesText(sql, q)} and (email_key, id) > (${email}, ${id})`
}

/** The users that are filtered for a page: the first holders, or the users whose address or name contains a text. */
type Candidates = { authority: Authority } | { q: string }

/** A row of a page, with the number of candidates that were filtered; without a match there is one row of nulls. */
export type CandidateRow = { candidates: number } & (DocumentRow | { position: null; document: null })

/** The candidates that fit the other filters, by e-mail address; at most one more than `maxCandidates` are filtered. */
export const filterCandidates = (
  sql: Sql,
  viewer: Viewer,
  among: Candidates,
  others: UserFilters,
  { after, limit, offset }: PageWindow,
  maxCandidates: number,
) => sql<CandidateRow[]>`
  with candidates as materialized (
    ${
      'q' in among
        ? matchesOf(sql, viewer.orgId, among.q, after)
        : firstHolders(sql, viewer.orgId, among.authority, after, maxCandidates + 1)
    }
    limit ${maxCandidates}::bigint + 1
  )
  select counted.candidates, page.email_key || ' ' || page.id as position, ${documentFor(sql, viewer)} as document
  from (select count(*)::integer as candidates from candidates) counted
  left join (
    select email_key, id from (select email_key, id from candidates order by email_key, id offset 0) candidate
    where (
      select true from organization.users u where u.id = candidate.id ${matchesFilters(sql, viewer.orgId, others)}
    ) is true
    order by email_key, id limit ${limit} offset ${offset}
  ) page on true
  left join organization.directory d on d.id = page.id
  order by page.email_key, page.id`
