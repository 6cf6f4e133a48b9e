import type { Sql } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import type { TimeKey } from '../../kit/pagination/keysets.ts'

const MONTHS_AHEAD = 3

export const ensurePartitions = (sql: Sql) => sql`select ensure_month_partitions('audit_log', ${MONTHS_AHEAD})`

/** Drops the partitions that are older than the retention. */
export const dropPartitions = (sql: Sql) => sql`select organization.drop_audit_partitions()`

/** Sets the retention in full months; undefined: unlimited. Only the owner of the database may. */
export const setRetention = (sql: Sql, keepMonths: number | undefined) => sql`
  update organization.audit_retention set keep_months = ${keepMonths ?? null}`

/** At most `limit` users of the organization whose address matches a pattern; with `actorId` only this user. */
export const listActors = (
  sql: Sql,
  orgId: string,
  { emailPattern, actorId }: { emailPattern: string; actorId: string | undefined },
  limit: number,
) => sql<{ id: string }[]>`
  select id from organization.users
  where org_id = ${orgId} and email_key like (select lower(${emailPattern}))
    and ${and(sql, actorId !== undefined && sql`id = ${actorId}`)}
  limit ${limit}`

export interface EntryRow {
  id: string
  timestamp: string
  procedure: string
  success: boolean
  error: string | null
  ipAddress: string | null
  actor_id: string
  actor_email: string | null
  actor_given_name: string | null
  actor_family_name: string | null
  grant_id: string | null
  acting_email: string | null
  reason: string | null
  granted_by_email: string | null
}

const columns = (sql: Sql) => sql`
  e.id, e.timestamp, e.procedure, e.success, e.error, e.ip_address as "ipAddress",
  e.actor_id, u.email as actor_email, u.given_name as actor_given_name, u.family_name as actor_family_name,
  e.grant_id, g.acting_email, g.reason, grantor.email as granted_by_email`

/** The user and the grant of each entry `e`. */
const peopleOf = (sql: Sql, orgId: string) => sql`
  left join lateral (
    select email, given_name, family_name from organization.users where org_id = ${orgId} and id = e.actor_id limit 1
  ) u on true
  left join lateral (
    select acting_email, reason, granted_by, redeemed_at, redeemed_ip, expires_at, revoked_at
    from identity.impersonation_directory where org_id = ${orgId} and grant_id = e.grant_id limit 1
  ) g on true
  left join lateral (
    select email from organization.users where org_id = ${orgId} and id = g.granted_by limit 1
  ) grantor on true`

/** The entries of these keys in the order of the keys, with their users and grants. */
export const listEntries = (sql: Sql, orgId: string, keys: readonly TimeKey[]) => sql<EntryRow[]>`
  select ${columns(sql)}
  from unnest(${keys.map(({ timestamp }) => timestamp)}::timestamptz[], ${keys.map(({ id }) => id)}::text[])
    with ordinality as key (timestamp, id, ordinal)
  cross join lateral (
    select a.id, a.timestamp, a.procedure, a.success, a.error, a.ip_address, a.actor_id, a.grant_id
    from organization.audit_log a
    where a.org_id = ${orgId} and a.timestamp = key.timestamp and a.id = key.id
    limit 1
  ) e
  ${peopleOf(sql, orgId)}
  order by key.ordinal`

export interface EntryDetailRow extends EntryRow {
  userAgent: string | null
  request: unknown
  redeemedTime: string | null
  redeemedIp: string | null
  expireTime: string | null
  revokedTime: string | null
}

export const findEntry = (sql: Sql, orgId: string, id: string) => sql<EntryDetailRow[]>`
  select ${columns(sql)}, e.user_agent as "userAgent", e.request, g.redeemed_at as "redeemedTime",
    g.redeemed_ip as "redeemedIp", g.expires_at as "expireTime", g.revoked_at as "revokedTime"
  from (
    select id, timestamp, procedure, success, error, ip_address, user_agent, request, actor_id, grant_id
    from organization.audit_log where org_id = ${orgId} and id = ${id} limit 1
  ) e
  ${peopleOf(sql, orgId)}`
