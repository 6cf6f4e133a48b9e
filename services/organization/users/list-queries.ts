import type { Fragment, Sql } from '../../kit/db/client.ts'
import { and, contains } from '../../kit/db/conditions.ts'
import { nameKeyAt } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { ALL, type Found, pageOrNothing } from '../../kit/pagination/search.ts'
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

/** The filters of a user, with the condition that they hold a role or permission. */
const matchesFilters = (
  sql: Sql,
  { q, active, admin, permission, roleId }: UserFilters,
  holds: (authority: Authority) => Fragment,
) =>
  and(
    sql,
    active !== undefined && sql`active = ${active}`,
    q !== undefined && matchesText(sql, q),
    roleId !== undefined && holds({ roleId }),
    permission !== undefined && holds({ permission }),
    admin !== undefined && sql`${holds(ADMINISTRATION)} = ${admin}`,
  )

/** Whether a user is in the set of all holders: cheaper than a look-up of each if many users are filtered. */
const isAmongHolders = (sql: Sql, orgId: string, authority: Authority) => sql`(id in (
  select ur.user_id from organization.roles r join organization.user_roles ur on ur.role_id = r.id
  where r.org_id = ${orgId} and ${givesAuthority(sql, authority)})) is true`

/** Whether the user `u` has such a role. */
const holdsRole = (sql: Sql, orgId: string, authority: Authority) => sql`(
  select true from organization.user_roles ur
  where ur.user_id = u.id and ur.role_id = any(array(
    select r.id from organization.roles r where r.org_id = ${orgId} and ${givesAuthority(sql, authority)}))
  limit 1) is true`

/** Users by e-mail address, filtered one after the other; at most `count` are read. */
export function scanUsers(
  sql: Sql,
  viewer: Viewer,
  filters: UserFilters,
  { after, limit, offset }: PageWindow,
  count = ALL,
) {
  const { name: email, id } = nameKeyAt(after)
  return sql<DocumentRow[]>`
    select page.email_key || ' ' || page.id as position, ${documentFor(sql, viewer)} as document
    from (
      select id, email_key from (
        select id, email_key, name_key, active from organization.users
        where org_id = ${viewer.orgId} and (email_key, id) > (${email}, ${id})
        ${Number.isFinite(count) ? sql`order by email_key, id limit ${count}` : sql``}
      ) u
      where ${matchesFilters(sql, filters, (authority) => isAmongHolders(sql, viewer.orgId, authority))}
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
      where org_id = ${viewer.orgId} and kind = 'PERSON' and (email_key, id) > (${email}, ${id}) and ${and(
        sql,
        active !== undefined && sql`active = ${active}`,
        q !== undefined && matchesText(sql, q),
      )}
      order by email_key, id limit ${limit} offset ${offset}
    ) page
    join organization.directory d on d.id = page.id
    join organization.users u on u.id = page.id
    order by page.email_key, page.id`
}

/** Roles whose holders are merged in the order of their index. The holders of further roles are sorted. */
const MERGED_ROLES = 4

/**
 * The first holders of the roles that give the authority, each user once, by e-mail address. One query for each role
 * lets Postgres merge the parts of the index: to sort the holders of a common role took five times as long.
 */
function firstHolders(sql: Sql, orgId: string, authority: Authority, after: string | undefined, maxCandidates: number) {
  const { name: email, id } = nameKeyAt(after)
  const holdersOf = (role: Fragment) => sql`
    select email_key, user_id from organization.user_roles
    where role_id = ${role} and (email_key, user_id) > (${email}, ${id})
    order by email_key, user_id limit ${maxCandidates}`
  const roles = sql`
    select r.id from organization.roles r where r.org_id = ${orgId} and ${givesAuthority(sql, authority)} order by r.id`
  // The driver writes the fragments of a list one after the other.
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

/**
 * The candidates that match the other filters, by e-mail address. At most one more than `maxCandidates` are filtered;
 * nothing is found where these do not fill the page and there are more.
 */
export async function filterCandidates(
  sql: Sql,
  viewer: Viewer,
  among: Candidates,
  others: UserFilters,
  window: PageWindow,
  maxCandidates: number,
): Promise<Found<DocumentRow>> {
  const { after, limit, offset } = window
  const candidates =
    'q' in among
      ? matchesOf(sql, viewer.orgId, among.q, after)
      : firstHolders(sql, viewer.orgId, among.authority, after, maxCandidates + 1)
  const isWanted = matchesFilters(sql, others, (authority) => holdsRole(sql, viewer.orgId, authority))
  const rows = await sql<({ candidates: number } & (DocumentRow | { position: null; document: null }))[]>`
    with candidates as materialized (${candidates} limit ${maxCandidates}::bigint + 1)
    select counted.candidates, page.email_key || ' ' || page.id as position, ${documentFor(sql, viewer)} as document
    from (select count(*)::integer as candidates from candidates) counted
    left join (
      select email_key, id from (select email_key, id from candidates order by email_key, id offset 0) candidate
      where (select true from organization.users u where u.id = candidate.id and ${isWanted}) is true
      order by email_key, id limit ${limit} offset ${offset}
    ) page on true
    left join organization.directory d on d.id = page.id
    order by page.email_key, page.id`
  const page = rows.filter((row): row is typeof row & DocumentRow => row.position !== null)
  return pageOrNothing(page, window, (rows[0]?.candidates ?? 0) <= maxCandidates ? ALL : maxCandidates)
}
