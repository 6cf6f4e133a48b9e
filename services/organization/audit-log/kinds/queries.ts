import type { Sql } from '../../../kit/db/client.ts'
import type { TimeKey } from '../../../kit/pagination/keysets.ts'
import type { Stretch, Window } from '../rules.ts'

/** Where to look, and how far: newest first, from `before` on. */
export interface Reach extends Stretch, Window {
  before: TimeKey
  limit: number
}

/** What kinds of entry are asked for; null where any procedure is. */
export interface KindFilter {
  procedures: readonly string[] | null
  impersonatedOnly: boolean
  failedOnly: boolean
  hideSignIns: boolean
}

/** A few users by id, or as many as there are whose address is like the pattern. */
export type ActorFilter = { actorIds: readonly string[] } | { emailPattern: string }

/** So many users that they are known by their pattern; an entry of one of the procedures is as good as one of theirs. */
export interface Crowd {
  either: readonly string[]
  emailPattern: string
}

/*
 * Each of these resolves its filter against the small set of kinds and then reads the stretch of an index that each kind
 * of each month is. It takes the heads first: so few of each that all together are about twice as many as wanted. Wherever
 * the last wanted one of these lies is the floor: no older entry can be on the page. Then it goes on where a head was full
 * and still above the floor. So a page costs about what it holds, and not its size for each kind.
 */

/** Months that have entries of these kinds, by one of these actors; actor '' stands for anybody. */
export const listMonths = (
  sql: Sql,
  orgId: string,
  actorIds: readonly string[],
  { procedures, impersonatedOnly, failedOnly, hideSignIns }: KindFilter,
) => sql<{ month: string }[]>`
  select distinct month from organization.audit_log_kinds
  where org_id = ${orgId} and actor_id = any(${[...actorIds]}::text[])
    and (${procedures}::text[] is null or procedure = any(${procedures}::text[]))
    and (not ${impersonatedOnly}::boolean or impersonated) and (not ${failedOnly}::boolean or not success)
    and not (${hideSignIns}::boolean and success and procedure = 'auth.signIn')`

/** Entries of the organization, whatever they are. */
export const listKeys = (sql: Sql, orgId: string, { low, high, from, to, before, limit }: Reach) => sql<TimeKey[]>`
  with months as materialized (
    select distinct k.month from organization.audit_log_kinds k
    where k.org_id = ${orgId} and k.actor_id = '' and k.month >= ${low} and k.month < ${high}
  )
  select e.timestamp, e.id
  from months m cross join lateral (
    select a.timestamp, a.id from organization.audit_log a
    where a.org_id = ${orgId} and a.timestamp >= m.month and a.timestamp < m.month + interval '1 month'
      and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
    order by a.timestamp desc, a.id desc limit ${limit}
  ) e
  order by e.timestamp desc, e.id desc limit ${limit}`

/** Entries of some kinds, whoever the actor is. */
export const listKeysOfKinds = (
  sql: Sql,
  orgId: string,
  { low, high, from, to, before, limit }: Reach,
  { procedures, impersonatedOnly, failedOnly, hideSignIns }: KindFilter,
) => sql<TimeKey[]>`
  with kinds as materialized (
    select distinct k.month, k.procedure, k.success, k.impersonated from organization.audit_log_kinds k
    where k.org_id = ${orgId} and k.actor_id = '' and k.month >= ${low} and k.month < ${high}
      and (${procedures}::text[] is null or k.procedure = any(${procedures}::text[]))
      and (not ${impersonatedOnly}::boolean or k.impersonated) and (not ${failedOnly}::boolean or not k.success)
      and not (${hideSignIns}::boolean and k.success and k.procedure = 'auth.signIn')
  ), share as materialized (
    select 2 * ${limit}::bigint / greatest(count(*), 1) + 1 as entries from kinds
  ), heads as materialized (
    select k.month, k.procedure, k.success, k.impersonated, e.timestamp, e.id
    from kinds k cross join lateral (
      select a.timestamp, a.id from organization.audit_log a
      where a.org_id = ${orgId} and a.procedure = k.procedure and a.success = k.success
        and a.impersonated = k.impersonated
        and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month'
        and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
      order by a.timestamp desc, a.id desc limit (select entries from share)
    ) e
  ), floor as materialized (
    select coalesce((select timestamp from heads order by timestamp desc limit 1 offset ${limit}::bigint - 1), '-infinity')
      as timestamp
  ), full_heads as materialized (
    select month, procedure, success, impersonated from heads
    group by month, procedure, success, impersonated
    having count(*) = (select entries from share) and min(timestamp) >= (select timestamp from floor)
  )
  select timestamp, id from heads where timestamp >= (select timestamp from floor)
  union
  select e.timestamp, e.id
  from full_heads k cross join lateral (
    select a.timestamp, a.id from organization.audit_log a
    where a.org_id = ${orgId} and a.procedure = k.procedure and a.success = k.success
      and a.impersonated = k.impersonated
      and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month'
      and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
      and a.timestamp >= (select timestamp from floor)
    order by a.timestamp desc, a.id desc limit ${limit}
  ) e
  order by timestamp desc, id desc limit ${limit}`

/** In the collation of the log: with that of `users.id` no index of it could be used. */
const actorsLike = (sql: Sql, orgId: string, actors: ActorFilter) =>
  'actorIds' in actors
    ? sql`select distinct unnest(${[...actors.actorIds]}::text[]) as id`
    : sql`select id collate "default" as id from organization.users
        where org_id = ${orgId} and email_key like (select lower(${actors.emailPattern}))`

/** Each of the actors is asked for what it has. */
const kindsOfFew = (
  sql: Sql,
  orgId: string,
  { low, high }: Stretch,
  { procedures, impersonatedOnly, failedOnly, hideSignIns }: KindFilter,
) => sql`
    select k.month, actors.id as actor_id, k.procedure, k.success, k.impersonated
    from actors cross join lateral (
      select distinct month, procedure, success, impersonated from organization.audit_log_kinds
      where org_id = ${orgId} and actor_id = actors.id and month >= ${low} and month < ${high}
        and (${procedures}::text[] is null or procedure = any(${procedures}::text[]))
        and (not ${impersonatedOnly}::boolean or impersonated) and (not ${failedOnly}::boolean or not success)
        and not (${hideSignIns}::boolean and success and procedure = 'auth.signIn')
    ) k`

/** Each kind is asked for whoever has it: of a rare kind that is fewer than there are actors. */
const kindsOfMany = (
  sql: Sql,
  orgId: string,
  { low, high }: Stretch,
  { procedures, impersonatedOnly, failedOnly, hideSignIns }: KindFilter,
) => sql`
    select k.month, holder.actor_id, k.procedure, k.success, k.impersonated
    from (
      select distinct month, procedure, success, impersonated from organization.audit_log_kinds
      where org_id = ${orgId} and actor_id = '' and month >= ${low} and month < ${high}
        and (${procedures}::text[] is null or procedure = any(${procedures}::text[]))
        and (not ${impersonatedOnly}::boolean or impersonated) and (not ${failedOnly}::boolean or not success)
        and not (${hideSignIns}::boolean and success and procedure = 'auth.signIn')
    ) k cross join lateral (
      select distinct actor_id from organization.audit_log_kinds
      where org_id = ${orgId} and month = k.month and procedure = k.procedure and success = k.success
        and impersonated = k.impersonated and actor_id in (select id from actors)
    ) holder`

/** Everything that some users did. */
export const listKeysOfActors = (
  sql: Sql,
  orgId: string,
  { low, high, from, to, before, limit }: Reach,
  actors: ActorFilter,
) => sql<TimeKey[]>`
  with actors as materialized (${actorsLike(sql, orgId, actors)}), kinds as materialized (
    select m.month, actors.id as actor_id
    from actors cross join (
      select distinct month from organization.audit_log_kinds
      where org_id = ${orgId} and actor_id = '' and month >= ${low} and month < ${high}
    ) m cross join lateral (
      select from organization.audit_log_kinds where org_id = ${orgId} and actor_id = actors.id and month = m.month limit 1
    ) k
  ), share as materialized (
    select 2 * ${limit}::bigint / greatest(count(*), 1) + 1 as entries from kinds
  ), heads as materialized (
    select k.month, k.actor_id, e.timestamp, e.id
    from kinds k cross join lateral (
      select a.timestamp, a.id from organization.audit_log a
      where a.org_id = ${orgId} and a.actor_id = k.actor_id
        and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month'
        and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
      order by a.timestamp desc, a.id desc limit (select entries from share)
    ) e
  ), floor as materialized (
    select coalesce((select timestamp from heads order by timestamp desc limit 1 offset ${limit}::bigint - 1), '-infinity')
      as timestamp
  ), full_heads as materialized (
    select month, actor_id from heads
    group by month, actor_id
    having count(*) = (select entries from share) and min(timestamp) >= (select timestamp from floor)
  )
  select timestamp, id from heads where timestamp >= (select timestamp from floor)
  union
  select e.timestamp, e.id
  from full_heads k cross join lateral (
    select a.timestamp, a.id from organization.audit_log a
    where a.org_id = ${orgId} and a.actor_id = k.actor_id
      and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month'
      and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
      and a.timestamp >= (select timestamp from floor)
    order by a.timestamp desc, a.id desc limit ${limit}
  ) e
  order by timestamp desc, id desc limit ${limit}`

/** Entries of some kinds by some users. */
export const listKeysOfActorKinds = (
  sql: Sql,
  orgId: string,
  { low, high, from, to, before, limit }: Reach,
  actors: ActorFilter,
  filter: KindFilter,
) => sql<TimeKey[]>`
  with actors as materialized (${actorsLike(sql, orgId, actors)}), kinds as materialized (
    ${'actorIds' in actors ? kindsOfFew(sql, orgId, { low, high }, filter) : kindsOfMany(sql, orgId, { low, high }, filter)}
  ), share as materialized (
    select 2 * ${limit}::bigint / greatest(count(*), 1) + 1 as entries from kinds
  ), heads as materialized (
    select k.month, k.actor_id, k.procedure, k.success, k.impersonated, e.timestamp, e.id
    from kinds k cross join lateral (
      select a.timestamp, a.id from organization.audit_log a
      where a.org_id = ${orgId} and a.actor_id = k.actor_id and a.procedure = k.procedure and a.success = k.success
        and a.impersonated = k.impersonated
        and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month'
        and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
      order by a.timestamp desc, a.id desc limit (select entries from share)
    ) e
  ), floor as materialized (
    select coalesce((select timestamp from heads order by timestamp desc limit 1 offset ${limit}::bigint - 1), '-infinity')
      as timestamp
  ), full_heads as materialized (
    select month, actor_id, procedure, success, impersonated from heads
    group by month, actor_id, procedure, success, impersonated
    having count(*) = (select entries from share) and min(timestamp) >= (select timestamp from floor)
  )
  select timestamp, id from heads where timestamp >= (select timestamp from floor)
  union
  select e.timestamp, e.id
  from full_heads k cross join lateral (
    select a.timestamp, a.id from organization.audit_log a
    where a.org_id = ${orgId} and a.actor_id = k.actor_id and a.procedure = k.procedure and a.success = k.success
      and a.impersonated = k.impersonated
      and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month'
      and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
      and a.timestamp >= (select timestamp from floor)
    order by a.timestamp desc, a.id desc limit ${limit}
  ) e
  order by timestamp desc, id desc limit ${limit}`

/** Of the newest so many entries those that some users did, or that are of some procedures. */
export const listRecentKeys = (
  sql: Sql,
  orgId: string,
  { from, to, before, limit }: Omit<Reach, 'low' | 'high'>,
  { either, emailPattern }: Crowd,
  looked: number,
) => sql<TimeKey[]>`
  with actors as materialized (${actorsLike(sql, orgId, { emailPattern })}), recent as materialized (
    select a.timestamp, a.id, a.procedure, a.actor_id from organization.audit_log a
    where a.org_id = ${orgId} and a.timestamp >= ${from} and a.timestamp <= ${to}
      and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
    order by a.timestamp desc, a.id desc limit ${looked}
  )
  select r.timestamp, r.id from recent r
  where r.procedure = any(${[...either]}::text[]) or r.actor_id in (select id from actors)
  order by r.timestamp desc, r.id desc limit ${limit}`

/** Of these entries the same. */
export const filterKeys = (
  sql: Sql,
  orgId: string,
  keys: readonly TimeKey[],
  { either, emailPattern }: Crowd,
  limit: number,
) => sql<TimeKey[]>`
  with actors as materialized (${actorsLike(sql, orgId, { emailPattern })})
  select e.timestamp, e.id
  from unnest(${keys.map(({ timestamp }) => timestamp)}::timestamptz[], ${keys.map(({ id }) => id)}::text[])
    as key (timestamp, id)
  cross join lateral (
    select a.timestamp, a.id, a.procedure, a.actor_id from organization.audit_log a
    where a.org_id = ${orgId} and a.timestamp = key.timestamp and a.id = key.id
    limit 1
  ) e
  where e.procedure = any(${[...either]}::text[]) or e.actor_id in (select id from actors)
  order by e.timestamp desc, e.id desc limit ${limit}`
