import type { Sql, Tx } from '../db/client.ts'

/** A job to start. */
interface NewJob {
  kind: string
  id: string
  tenantId?: string
  data?: object
  /** Default: now. */
  dueAt?: string
  /** No attempt starts after this. */
  expiresAt?: string
}

/**
 * Makes a job due. One that exists keeps its data and starts again at its beginning, which a running one sees by
 * `hold`.
 */
export const startJob = (tx: Tx, { kind, id, tenantId = '', data = {}, dueAt, expiresAt }: NewJob, now: string) => tx`
  insert into jobs (kind, id, tenant_id, data, created_at, due_at, expires_at)
  values (${kind}, ${id}, ${tenantId}, ${JSON.stringify(data)}::text::jsonb, ${now}, ${dueAt ?? now}, ${expiresAt ?? null})
  on conflict (kind, id) do update set progress = '{}', due_at = least(jobs.due_at, excluded.due_at)`

/** Makes a waiting job due now. A running step overwrites the time, so the caller holds a lock that the step takes. */
export const wakeJob = (tx: Tx, kind: string, id: string, now: string) => tx`
  update jobs set due_at = ${now} where kind = ${kind} and id = ${id}`

/** Deletes jobs. A worker that runs one loses its lease. */
export const cancelJobs = (tx: Tx, kind: string, ids: readonly string[]) => tx`
  delete from jobs where kind = ${kind} and id = any(${[...ids]})`

export interface JobRow {
  kind: string
  id: string
  tenant_id: string
  data: unknown
  progress: unknown
  attempts: number
  expires_at: string | null
  lease_token: string
}

/** How many jobs of a kind may run in one tenant, on all replicas together, and how long the lease of each one is. */
interface KindLimits {
  kind: string
  tenantSlots: number
  leaseMs: number
}

/**
 * Leases the next job of some kinds: tenants round-robin, the longest due first within a tenant. The turns are read
 * from an index in their order; those that are passed over have running jobs, which are few. The lock of the turn, with
 * the version that was read, ensures that concurrent claims do not exceed the limit of a tenant. A claim leaves the
 * turn at its own time, because a job that a transaction starts meanwhile may be claimable; the end of the job moves
 * it. Leases use the database's clock, which all replicas share.
 */
export const claimJob = (sql: Sql, token: string, kinds: readonly KindLimits[], now: string) => sql<JobRow[]>`
  with limits as materialized (
    select kind, "tenantSlots", "leaseMs" from json_to_recordset(${JSON.stringify(kinds)}::text::json) as limits (
      kind text, "tenantSlots" integer, "leaseMs" integer)
  ), chosen as materialized (
    select turn.kind, turn.tenant_id, limits."leaseMs"
    from limits cross join lateral (
      select turn.kind, turn.tenant_id, seen.turn_at
      from (
        select kind, tenant_id, turn_at, xmin as version from job_turns
        where kind = limits.kind and turn_at <= greatest(${now}, statement_timestamp())
        order by turn_at limit 1000) seen
      cross join lateral (
        select kind, tenant_id from job_turns
        where kind = seen.kind and tenant_id = seen.tenant_id and xmin = seen.version for update skip locked) turn
      where exists (
          select from jobs where kind = seen.kind and tenant_id = seen.tenant_id and due_at <= ${now}
            and (lease_until is null or lease_until <= clock_timestamp()))
        and (select count(*) from jobs where kind = seen.kind and tenant_id = seen.tenant_id
          and lease_token is not null and lease_until > clock_timestamp()) < limits."tenantSlots"
      order by seen.turn_at limit 1) turn
    order by turn.turn_at limit 1
  ), next as materialized (
    select job.kind, job.id, clock_timestamp() + make_interval(secs => chosen."leaseMs" / 1000.0) as lease_until
    from chosen cross join lateral (
      select kind, id from jobs
      where kind = chosen.kind and tenant_id = chosen.tenant_id and due_at <= ${now}
        and (lease_until is null or lease_until <= clock_timestamp())
      order by due_at limit 1 for update skip locked) job
  ), taken as (
    update job_turns turn set claimed_at = clock_timestamp(), turn_at = clock_timestamp()
    from chosen where turn.kind = chosen.kind and turn.tenant_id = chosen.tenant_id
  )
  update jobs job set attempts = job.attempts + 1, lease_token = ${token}, lease_until = next.lease_until
  from next where job.kind = next.kind and job.id = next.id
  returning job.kind, job.id, job.tenant_id, job.data, job.progress, job.attempts, job.expires_at, job.lease_token`

/** The lease of a worker. */
type Lease = Pick<JobRow, 'kind' | 'id' | 'lease_token'>

const isHeld = (sql: Sql, { kind, id, lease_token: token }: Lease) => sql`
  kind = ${kind} and id = ${id} and lease_token = ${token}`

const text = (progress: unknown) => (progress === undefined ? null : JSON.stringify(progress))

/** Extends the lease and stores the progress. No row if the lease was lost or the job was cancelled. */
export const extendLease = (sql: Sql, lease: Lease, leaseMs: number, progress: unknown) => sql<{ id: string }[]>`
  update jobs set lease_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000}),
    progress = coalesce(${text(progress)}::text::jsonb, progress)
  where ${isHeld(sql, lease)} returning id`

/** Locks the job until the end of the transaction. No row if the lease was lost. */
export const holdJob = (tx: Tx, lease: Lease) => tx<{ progress: unknown }[]>`
  select progress from jobs where ${isHeld(tx, lease)} for update`

/** Ends the lease of a job that has come further; it is due again. */
export const continueJob = (tx: Tx, lease: Lease, progress: unknown, dueAt: string) => tx<{ id: string }[]>`
  update jobs set progress = coalesce(${text(progress)}::text::jsonb, progress), due_at = ${dueAt}, attempts = 0,
    lease_token = null, lease_until = null
  where ${isHeld(tx, lease)} returning id`

/** Ends the lease of an attempt without a result. One that was stopped does not count. */
export const releaseJob = (
  sql: Sql,
  lease: Lease,
  { dueAt, counts, progress }: { dueAt: string; counts: boolean; progress: unknown },
) => sql`
  update jobs set progress = coalesce(${text(progress)}::text::jsonb, progress), due_at = ${dueAt},
    attempts = attempts - ${counts ? 0 : 1}, lease_token = null, lease_until = null
  where ${isHeld(sql, lease)}`

export const endJob = (tx: Tx, lease: Lease) => tx<{ id: string }[]>`
  delete from jobs where ${isHeld(tx, lease)} returning id`

/** The jobs of each kind, at most 10,000, and how long the oldest of them has been due without a worker. */
export const measureJobs = (sql: Sql, kinds: readonly string[], now: string) => sql<
  { kind: string; queued: number; oldest_ms: number | null }[]
>`
  select kinds.kind, count(job.due_at)::integer as queued,
    extract(epoch from ${now}::timestamptz - min(job.due_at) filter (
      where job.due_at <= ${now} and (job.lease_until is null or job.lease_until <= now())))::float * 1000 as oldest_ms
  from unnest(${[...kinds]}::text[]) kinds (kind)
  left join lateral (select due_at, lease_until from jobs where kind = kinds.kind limit 10000) job on true
  group by kinds.kind`
