import type { Sql } from '../../../kit/db/client.ts'
import type { EntryKey, Stretch, Window } from '../rules.ts'

/** Where to look, and how far: newest first, from `before` on. */
export interface Reach extends Stretch, Window {
  before: EntryKey
  limit: number
}

/** What kinds of entry are asked for; null where any procedure is. */
export interface KindFilter {
  procedures: readonly string[] | null
  impersonatedOnly: boolean
  failedOnly: boolean
  hideSignIns: boolean
}

/** Users by id, and those whose address is like the pattern. */
export interface ActorFilter {
  actorIds: readonly string[]
  emailPattern: string | null
}

/*
 * Each of these resolves its filter against the small set of kinds and then reads the stretch of an index that each kind
 * of each month is. It does so twice. The first time it takes so few of each that all together are about twice as many as
 * wanted: wherever the last wanted one of these lies, no older entry can be on the page. The second time it takes what is
 * not older than that. So a page costs about what it holds, and not its size for each kind.
 */

/** Entries of the organization, whatever they are. */
export const listKeys = (sql: Sql, orgId: string, { low, high, from, to, before, limit }: Reach) => sql<EntryKey[]>`
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
) => sql<EntryKey[]>`
  with kinds as materialized (
    select distinct k.month, k.procedure, k.success, k.impersonated from organization.audit_log_kinds k
    where k.org_id = ${orgId} and k.actor_id = '' and k.month >= ${low} and k.month < ${high}
      and (${procedures}::text[] is null or k.procedure = any(${procedures}::text[]))
      and (not ${impersonatedOnly}::boolean or k.impersonated) and (not ${failedOnly}::boolean or not k.success)
      and not (${hideSignIns}::boolean and k.success and k.procedure = 'auth.signIn')
  ), heads as materialized (
    select e.timestamp
    from kinds k cross join lateral (
      select a.timestamp from organization.audit_log a
      where a.org_id = ${orgId} and a.procedure = k.procedure and a.success = k.success
        and a.impersonated = k.impersonated
        and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month'
        and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
      order by a.timestamp desc, a.id desc
      limit (select 2 * ${limit}::bigint / greatest(count(*), 1) + 1 from kinds)
    ) e
  ), floor as materialized (
    select coalesce((select timestamp from heads order by timestamp desc limit 1 offset ${limit}::bigint - 1), '-infinity')
      as timestamp
  )
  select e.timestamp, e.id
  from floor cross join kinds k cross join lateral (
    select a.timestamp, a.id from organization.audit_log a
    where a.org_id = ${orgId} and a.procedure = k.procedure and a.success = k.success
      and a.impersonated = k.impersonated
      and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month' and a.timestamp >= floor.timestamp
      and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
    order by a.timestamp desc, a.id desc limit ${limit}
  ) e
  order by e.timestamp desc, e.id desc limit ${limit}`

/** Everything that some users did. */
export const listKeysOfActors = (
  sql: Sql,
  orgId: string,
  { low, high, from, to, before, limit }: Reach,
  { actorIds, emailPattern }: ActorFilter,
) => sql<EntryKey[]>`
  with actors as materialized (
    select unnest(${[...actorIds]}::text[]) as id
    union
    select u.id from organization.users u
    where ${emailPattern}::text is not null and u.org_id = ${orgId} and u.email ilike ${emailPattern}
  ), kinds as materialized (
    select distinct k.month, k.actor_id
    from actors join organization.audit_log_kinds k on k.actor_id = actors.id
    where k.org_id = ${orgId} and k.actor_id <> '' and k.month >= ${low} and k.month < ${high}
  ), heads as materialized (
    select e.timestamp
    from kinds k cross join lateral (
      select a.timestamp from organization.audit_log a
      where a.org_id = ${orgId} and a.actor_id = k.actor_id
        and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month'
        and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
      order by a.timestamp desc, a.id desc
      limit (select 2 * ${limit}::bigint / greatest(count(*), 1) + 1 from kinds)
    ) e
  ), floor as materialized (
    select coalesce((select timestamp from heads order by timestamp desc limit 1 offset ${limit}::bigint - 1), '-infinity')
      as timestamp
  )
  select e.timestamp, e.id
  from floor cross join kinds k cross join lateral (
    select a.timestamp, a.id from organization.audit_log a
    where a.org_id = ${orgId} and a.actor_id = k.actor_id
      and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month' and a.timestamp >= floor.timestamp
      and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
    order by a.timestamp desc, a.id desc limit ${limit}
  ) e
  order by e.timestamp desc, e.id desc limit ${limit}`

/** Entries of some kinds by some users. */
export const listKeysOfActorKinds = (
  sql: Sql,
  orgId: string,
  { low, high, from, to, before, limit }: Reach,
  { actorIds, emailPattern }: ActorFilter,
  { procedures, impersonatedOnly, failedOnly, hideSignIns }: KindFilter,
) => sql<EntryKey[]>`
  with actors as materialized (
    select unnest(${[...actorIds]}::text[]) as id
    union
    select u.id from organization.users u
    where ${emailPattern}::text is not null and u.org_id = ${orgId} and u.email ilike ${emailPattern}
  ), kinds as materialized (
    select distinct k.month, k.actor_id, k.procedure, k.success, k.impersonated
    from actors join organization.audit_log_kinds k on k.actor_id = actors.id
    where k.org_id = ${orgId} and k.actor_id <> '' and k.month >= ${low} and k.month < ${high}
      and (${procedures}::text[] is null or k.procedure = any(${procedures}::text[]))
      and (not ${impersonatedOnly}::boolean or k.impersonated) and (not ${failedOnly}::boolean or not k.success)
      and not (${hideSignIns}::boolean and k.success and k.procedure = 'auth.signIn')
  ), heads as materialized (
    select e.timestamp
    from kinds k cross join lateral (
      select a.timestamp from organization.audit_log a
      where a.org_id = ${orgId} and a.actor_id = k.actor_id and a.procedure = k.procedure and a.success = k.success
        and a.impersonated = k.impersonated
        and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month'
        and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
      order by a.timestamp desc, a.id desc
      limit (select 2 * ${limit}::bigint / greatest(count(*), 1) + 1 from kinds)
    ) e
  ), floor as materialized (
    select coalesce((select timestamp from heads order by timestamp desc limit 1 offset ${limit}::bigint - 1), '-infinity')
      as timestamp
  )
  select e.timestamp, e.id
  from floor cross join kinds k cross join lateral (
    select a.timestamp, a.id from organization.audit_log a
    where a.org_id = ${orgId} and a.actor_id = k.actor_id and a.procedure = k.procedure and a.success = k.success
      and a.impersonated = k.impersonated
      and a.timestamp >= k.month and a.timestamp < k.month + interval '1 month' and a.timestamp >= floor.timestamp
      and a.timestamp >= ${from} and a.timestamp <= ${to} and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
    order by a.timestamp desc, a.id desc limit ${limit}
  ) e
  order by e.timestamp desc, e.id desc limit ${limit}`

/** Of the newest so many entries those that some users did, or that are of some procedures; narrowed by kind. */
export const listRecentKeys = (
  sql: Sql,
  orgId: string,
  { from, to, before, limit }: Omit<Reach, 'low' | 'high'>,
  { either, emailPattern, looked }: { either: readonly string[]; emailPattern: string; looked: number },
  { procedures, impersonatedOnly, failedOnly, hideSignIns }: KindFilter,
) => sql<EntryKey[]>`
  with actors as materialized (
    select u.id from organization.users u where u.org_id = ${orgId} and u.email ilike ${emailPattern}
  ), recent as materialized (
    select a.timestamp, a.id, a.procedure, a.success, a.impersonated, a.actor_id from organization.audit_log a
    where a.org_id = ${orgId} and a.timestamp >= ${from} and a.timestamp <= ${to}
      and (a.timestamp, a.id) < (${before.timestamp}, ${before.id})
    order by a.timestamp desc, a.id desc limit ${looked}
  )
  select r.timestamp, r.id from recent r
  where (r.procedure = any(${[...either]}::text[]) or r.actor_id in (select id from actors))
    and (${procedures}::text[] is null or r.procedure = any(${procedures}::text[]))
    and (not ${impersonatedOnly}::boolean or r.impersonated) and (not ${failedOnly}::boolean or not r.success)
    and not (${hideSignIns}::boolean and r.success and r.procedure = 'auth.signIn')
  order by r.timestamp desc, r.id desc limit ${limit}`
