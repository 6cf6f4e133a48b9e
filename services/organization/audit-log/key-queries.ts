import type { Period } from '../../../proto/http/times.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import type { TimeKey } from '../../kit/pagination/keysets.ts'
import type { MonthRange } from './rules.ts'

/** The next keys to read, newest first, older than `before`. */
export interface KeyRange extends Period {
  before: TimeKey
  limit: number
}

/** A kind of entry is its procedure, its success and whether it was impersonated. */
export interface KindFilter {
  /** Null for any procedure. */
  procedures: readonly string[] | null
  impersonatedOnly: boolean
  failedOnly: boolean
  hideSignIns: boolean
}

export const isAnyKind = ({ procedures, impersonatedOnly, failedOnly, hideSignIns }: KindFilter) =>
  procedures === null && !impersonatedOnly && !failedOnly && !hideSignIns

/** A few users by id, or the users whose address matches a pattern. */
export type ActorFilter = { actorIds: readonly string[] } | { emailPattern: string }

/** Entries that match by kind and actor. */
export interface Branch {
  kinds: KindFilter
  actors: ActorFilter | undefined
}

const ofKinds = (sql: Sql, { procedures, impersonatedOnly, failedOnly, hideSignIns }: KindFilter) => sql`
  (${procedures}::text[] is null or procedure = any(${procedures}::text[]))
  and (not ${impersonatedOnly}::boolean or impersonated) and (not ${failedOnly}::boolean or not success)
  and not (${hideSignIns}::boolean and success and procedure = 'auth.signIn')`

/** Ids in the collation of the log, because indexes of the log do not serve the collation of `users.id`. */
const idsOf = (sql: Sql, orgId: string, actors: ActorFilter) =>
  'actorIds' in actors
    ? sql`select distinct unnest(${[...actors.actorIds]}::text[]) as id`
    : sql`select id collate "default" as id from organization.users
        where org_id = ${orgId} and email_key like (select lower(${actors.emailPattern}))`

const inPeriod = (sql: Sql, { from, to, before }: KeyRange) => sql`
  a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})`

/** Entries of any kind and actor. */
export const listRecentKeys = (sql: Sql, orgId: string, range: KeyRange) => sql<TimeKey[]>`
  select a.timestamp, a.id from organization.audit_log a
  where a.org_id = ${orgId} and ${inPeriod(sql, range)}
  order by a.timestamp desc, a.id desc limit ${range.limit}`

const recentEntries = (sql: Sql, orgId: string, range: KeyRange) => sql`
  select a.timestamp, a.id, a.procedure, a.actor_id from organization.audit_log a
  where a.org_id = ${orgId} and ${inPeriod(sql, range)}
  order by a.timestamp desc, a.id desc limit ${range.limit}`

const entriesOf = (sql: Sql, orgId: string, keys: readonly TimeKey[]) => sql`
  select e.timestamp, e.id, e.procedure, e.actor_id
  from unnest(${keys.map(({ timestamp }) => timestamp)}::timestamptz[], ${keys.map(({ id }) => id)}::text[])
    as key (timestamp, id)
  cross join lateral (
    select a.timestamp, a.id, a.procedure, a.actor_id from organization.audit_log a
    where a.org_id = ${orgId} and a.timestamp = key.timestamp and a.id = key.id
    limit 1
  ) e`

/** The first of some entries that are of one of the procedures, or by a user whose address matches. */
export const filterKeys = (
  sql: Sql,
  orgId: string,
  among: KeyRange | readonly TimeKey[],
  { procedures, emailPattern }: { procedures: readonly string[]; emailPattern: string },
  limit: number,
) => sql<TimeKey[]>`
  with actors as materialized (${idsOf(sql, orgId, { emailPattern })}), entries as materialized (
    ${'limit' in among ? recentEntries(sql, orgId, among) : entriesOf(sql, orgId, among)}
  )
  select timestamp, id from entries
  where procedure = any(${[...procedures]}::text[]) or actor_id in (select id from actors)
  order by timestamp desc, id desc limit ${limit}`

/** The kinds of each month in the range, without actors. */
const kindsOfAll = (sql: Sql, orgId: string, { low, high }: MonthRange, kinds: KindFilter) => sql`
  select distinct month, procedure, success, impersonated from organization.audit_log_kinds
  where org_id = ${orgId} and actor_id = '' and month >= ${low} and month < ${high} and ${ofKinds(sql, kinds)}`

/** The months in the range in which each actor has entries of any kind. */
const monthsOfActors = (sql: Sql, orgId: string, { low, high }: MonthRange) => sql`
  select m.month, actors.id as actor_id
  from actors cross join (
    select distinct month from organization.audit_log_kinds
    where org_id = ${orgId} and actor_id = '' and month >= ${low} and month < ${high}
  ) m cross join lateral (
    select from organization.audit_log_kinds where org_id = ${orgId} and actor_id = actors.id and month = m.month limit 1
  ) present`

/** The kinds of each actor, looked up by actor. */
const kindsOfFewActors = (sql: Sql, orgId: string, { low, high }: MonthRange, kinds: KindFilter) => sql`
  select k.month, actors.id as actor_id, k.procedure, k.success, k.impersonated
  from actors cross join lateral (
    select distinct month, procedure, success, impersonated from organization.audit_log_kinds
    where org_id = ${orgId} and actor_id = actors.id and month >= ${low} and month < ${high} and ${ofKinds(sql, kinds)}
  ) k`

/** The kinds of each actor, looked up by kind, because a rare kind has fewer actors than the filter. */
const kindsOfManyActors = (sql: Sql, orgId: string, range: MonthRange, kinds: KindFilter) => sql`
  select k.month, having_kind.actor_id, k.procedure, k.success, k.impersonated
  from (${kindsOfAll(sql, orgId, range, kinds)}) k cross join lateral (
    select distinct actor_id from organization.audit_log_kinds
    where org_id = ${orgId} and month = k.month and procedure = k.procedure and success = k.success
      and impersonated = k.impersonated and actor_id in (select id from actors)
  ) having_kind`

/**
 * Keys of entries of some kinds and actors, found by the small table of the kinds that exist. The entries of one kind,
 * actor and month are one range of an index. The newest entries of each range, in total about twice the limit, tell a
 * time that no entry of the page precedes; the entries from there on are then read and sorted.
 */
export function listKeysByKind(
  sql: Sql,
  orgId: string,
  within: KeyRange,
  months: MonthRange,
  { kinds, actors }: Branch,
) {
  const { limit } = within
  const anyKind = isAnyKind(kinds)
  const kindsOfActors = actors && 'actorIds' in actors ? kindsOfFewActors : kindsOfManyActors
  const ranges = () => {
    if (!actors) return kindsOfAll(sql, orgId, months, kinds)
    return anyKind ? monthsOfActors(sql, orgId, months) : kindsOfActors(sql, orgId, months, kinds)
  }
  const newest = (from: Fragment, count: Fragment) => sql`
    ranges k cross join lateral (
      select a.timestamp, a.id from organization.audit_log a
      where a.org_id = ${orgId} and ${and(
        sql,
        actors && sql`a.actor_id = k.actor_id`,
        !anyKind && sql`a.procedure = k.procedure and a.success = k.success and a.impersonated = k.impersonated`,
        sql`a.timestamp >= k.month and a.timestamp < k.month + interval '1 month' and a.timestamp >= ${from}`,
        inPeriod(sql, within),
      )}
      order by a.timestamp desc, a.id desc limit ${count}
    ) e`
  return sql<TimeKey[]>`
    with ${actors ? sql`actors as materialized (${idsOf(sql, orgId, actors)}),` : sql``}
    ranges as materialized (${ranges()}),
    lower_bound as materialized (
      select coalesce((
        select e.timestamp
        from ${newest(sql`${within.from}`, sql`(select 2 * ${limit}::bigint / greatest(count(*), 1) + 1 from ranges)`)}
        order by e.timestamp desc limit 1 offset ${limit}::bigint - 1
      ), '-infinity') as timestamp
    )
    select e.timestamp, e.id from ${newest(sql`(select timestamp from lower_bound)`, sql`${limit}`)}
    order by e.timestamp desc, e.id desc limit ${limit}`
}
