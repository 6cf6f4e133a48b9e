import type { Pool } from '../../kit/db/client.ts'

interface AuditToLoad {
  orgId: string
  /** Total number of entries, in equal shares per month. */
  count: number
  /** Number of months, each a partition, up to the month before the current one. */
  months: number
  /** Number of users with entries; a few have most of them. */
  actors: number
  procedures: readonly string[]
}

/**
 * Inserts audit entries of one organization under the owner's role, for load tests. A third are sign-ins; one entry in
 * a hundred is refused, one in ten thousand impersonated, and one in a million both. The last user has one entry per
 * month, and the one before has a single entry in the first month.
 */
export async function loadAuditLog(owner: Pool, load: AuditToLoad, progress: (line: string) => void = () => {}) {
  await insertActors(owner, load)
  await insertGrants(owner, load)
  for (let ago = load.months; ago >= 1; ago--) {
    await loadMonth(owner, load, ago)
    progress(`Audit log: ${load.months - ago + 1} of ${load.months} months`)
  }
  await insertRareEntries(owner, load)
  await owner`vacuum (analyze) organization.audit_log`
  await owner`vacuum (analyze) organization.audit_log_kinds`
  await owner`vacuum (analyze) organization.users`
}

export const loadedActor = (number: number) => `user_${String(number).padStart(26, '0')}`

const insertActors = (owner: Pool, { orgId, actors }: AuditToLoad) => owner`
  insert into organization.users
    (id, org_id, email, given_name, family_name, created_at, updated_at)
  select 'user_' || lpad(n::text, 26, '0'), ${orgId}, 'actor.' || n || '@audit.example.com', 'Actor', n::text,
    now(), now()
  from generate_series(1, ${actors}::int) n`

const GRANTS = 10

const insertGrants = (owner: Pool, { orgId }: AuditToLoad) => owner`
  insert into identity.impersonation_grants
    (id, org_id, user_id, acting_email, reason, granted_by, grantor_password_version, token_hash, created_at, expires_at)
  select 'grant_' || lpad(n::text, 26, '0'), ${orgId}, 'user_' || lpad('1', 26, '0'), 'support@example.com',
    'Ticket ' || n, 'user_' || lpad('1', 26, '0'), 1, sha256(('loaded ' || n)::bytea), now(), now()
  from generate_series(1, ${GRANTS}::int) n`

/** The table is filled before it becomes a partition, because building the indexes at the end is much faster. */
async function loadMonth(owner: Pool, { orgId, count, months, actors, procedures }: AuditToLoad, ago: number) {
  const now = new Date()
  const at = (offset: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - offset, 1)).toISOString()
  const [start, end] = [at(ago), at(ago - 1)]
  const table = `audit_log_${start.slice(0, 7).replace('-', '_')}`
  const entries = Math.ceil(count / months)
  const first = (months - ago) * entries
  await owner.unsafe(
    `create table organization.${table} (like organization.audit_log including defaults including generated including constraints)`,
  )
  await owner`
    insert into organization.${owner(table)}
      (id, org_id, timestamp, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request)
    select 'audit_' || lpad(n::text, 26, '0'), ${orgId},
      ${start}::timestamptz + (${end}::timestamptz - ${start}::timestamptz) * ((n - ${first}::int)::float8 / ${entries}::int),
      case when random_of.what < 0.33 then 'auth.signIn'
        else (${[...procedures]}::text[])[1 + floor(${procedures.length}::int * ((random_of.what - 0.33) / 0.67) ^ 3)::int] end,
      n % 100 <> 7, case when n % 100 = 7 then 'forbidden' end, '192.0.2.' || n % 250, 'loader/1',
      'user_' || lpad((1 + floor((${actors}::int - 2) * random_of.who ^ 4)::int)::text, 26, '0'),
      case when n % 10000 = 5 or n % 1000000 = 107 then 'grant_' || lpad((1 + n % ${GRANTS}::int)::text, 26, '0') end,
      '{"title": "Impeller"}'
    from generate_series(${first}::int, ${first + entries - 1}::int) n
    cross join lateral (select
      abs(hashint4(n)::bigint) / 2147483648.0 as what, abs(hashint4(n + 1500000000)::bigint) / 2147483648.0 as who
    ) random_of`
  await owner.unsafe(
    `alter table organization.audit_log attach partition organization.${table} for values from ('${start}') to ('${end}')`,
  )
  await owner`
    insert into organization.audit_log_kinds (org_id, month, actor_id, procedure, success, impersonated)
    select distinct a.org_id, ${start}::timestamptz, who.actor_id, a.procedure, a.success, a.impersonated
    from organization.${owner(table)} a cross join lateral (values (''), (a.actor_id)) who (actor_id)`
}

const insertRareEntries = (owner: Pool, { orgId, actors, months }: AuditToLoad) => owner`
  insert into organization.audit_log (id, org_id, timestamp, procedure, success, actor_id)
  select 'audit_monthly_' || ago, ${orgId}, date_trunc('month', now(), 'UTC') - make_interval(months => ago) + interval '1 day',
    'user.create', true, 'user_' || lpad(${actors}::text, 26, '0')
  from generate_series(1, ${months}::int) ago
  union all
  select 'audit_single', ${orgId}, date_trunc('month', now(), 'UTC') - make_interval(months => ${months}::int)
    + interval '2 days', 'user.create', true, 'user_' || lpad((${actors}::int - 1)::text, 26, '0')`
