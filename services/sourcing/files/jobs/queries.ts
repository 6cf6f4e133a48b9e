import type { FileFailure } from '../../../../proto/http/sourcing/files.ts'
import type { Sql, Tx } from '../../../kit/db/client.ts'
import type { ObjectInfo } from '../storage/storage.ts'
import type { JobKind, Progress } from './rules.ts'

/** The time from the creation of a job to its deadline. A copy may wait until our own store recovers. */
const [COPY_LIFETIME, IMPORT_LIFETIME] = ['24 hours', '30 minutes'] as const
/** A worker that does not extend its lease for this long has crashed, and another worker may claim the job. */
const LEASE = '15 seconds'

interface NewCopy {
  fileId: string
  sourceKey: string
  sourceEtag: string
}

export const insertCopyJob = (tx: Tx, { fileId, sourceKey, sourceEtag }: NewCopy, now: string) => tx`
  insert into sourcing.file_jobs (file_id, kind, source_key, source_etag, next_attempt_at, deadline_at)
  values (${fileId}, 'copy', ${sourceKey}, ${sourceEtag}, now(), ${now}::timestamptz + ${COPY_LIFETIME}::interval)`

interface NewImport {
  fileId: string
  encryptedUrl: string
}

/** Inserts a job, and a row for its progress. */
export const insertImport = (tx: Tx, { fileId, encryptedUrl }: NewImport, now: string) => tx`
  with progress as (insert into sourcing.imports (file_id) values (${fileId}))
  insert into sourcing.file_jobs (file_id, kind, encrypted_url, next_attempt_at, deadline_at)
  values (${fileId}, 'import', ${encryptedUrl}, now(), ${now}::timestamptz + ${IMPORT_LIFETIME}::interval)`

export interface JobRow {
  file_id: string
  kind: JobKind
  source_key: string | null
  source_etag: string | null
  encrypted_url: string | null
  attempts: number
  deadline_at: string
  lease_token: string
  org_id: string
}

/** Concurrent jobs of one kind and organization, on all replicas together. */
const MAX_JOBS_PER_TENANT = 2

/** The organizations with the maximum of running jobs of a kind. */
const tenantsAtLimit = (sql: Sql) => sql`
  select f.org_id, j.kind
  from sourcing.file_jobs j join sourcing.files f on f.id = j.file_id
  where j.lease_token is not null and j.next_attempt_at > now()
  group by f.org_id, j.kind having count(*) >= ${MAX_JOBS_PER_TENANT}`

/**
 * Fair queue: organizations round-robin, oldest job first within an organization. Leases use the database's clock,
 * which all replicas share. The organizations at their limit are materialized once instead of being looked up for each
 * job.
 */
export const claimJob = (sql: Sql, leaseToken: string, kinds: readonly JobKind[]) => sql<JobRow[]>`
  with at_limit as materialized (${tenantsAtLimit(sql)}), next as materialized (
    select due.file_id, d.org_id
    from sourcing.file_jobs due join sourcing.files d on d.id = due.file_id
      left join sourcing.file_job_claims c on c.org_id = d.org_id
    where due.next_attempt_at <= now() and due.kind = any(${[...kinds]})
      and not exists (select from at_limit l where l.org_id = d.org_id and l.kind = due.kind)
    order by c.claimed_at nulls first, due.next_attempt_at limit 1 for update of due skip locked
  ), claim as (
    insert into sourcing.file_job_claims (org_id, claimed_at) select org_id, clock_timestamp() from next
    on conflict (org_id) do update set claimed_at = excluded.claimed_at
  )
  update sourcing.file_jobs j
  set attempts = j.attempts + 1, lease_token = ${leaseToken}, next_attempt_at = now() + ${LEASE}::interval
  from next where j.file_id = next.file_id
  returning j.file_id, j.kind, j.source_key, j.source_etag, j.encrypted_url, j.attempts, j.deadline_at, j.lease_token,
    next.org_id`

/** An import that is due, of an organization below its limit. */
export const findWaitingImport = (sql: Sql) => sql<{ file_id: string }[]>`
  with at_limit as materialized (${tenantsAtLimit(sql)})
  select due.file_id from sourcing.file_jobs due join sourcing.files d on d.id = due.file_id
  where due.kind = 'import' and due.next_attempt_at <= now()
    and not exists (select from at_limit l where l.org_id = d.org_id and l.kind = 'import')
  limit 1`

/**
 * Extends the lease and records the progress of an import. No row if the lease was lost, the job has ended, or the file
 * was removed.
 */
export const extendLease = (sql: Sql, { file_id, lease_token }: JobRow, { receivedBytes, totalBytes }: Progress) => sql<
  { file_id: string }[]
>`
  with held as (
    update sourcing.file_jobs set next_attempt_at = now() + ${LEASE}::interval
    where file_id = ${file_id} and lease_token = ${lease_token} returning file_id
  ), reported as (
    update sourcing.imports i set received_bytes = ${receivedBytes}, total_bytes = ${totalBytes}
    from held where i.file_id = held.file_id
  )
  select file_id from held`

/** The final progress of an import. Copies have no such row. */
export const recordComplete = (tx: Tx, fileId: string, sizeBytes: number) => tx`
  update sourcing.imports set received_bytes = ${sizeBytes}, total_bytes = ${sizeBytes} where file_id = ${fileId}`

/** Releases the job for a later attempt. An attempt that a shutdown ended does not count. */
export const postponeJob = (
  sql: Sql,
  { file_id, lease_token }: JobRow,
  { delayMs, counts }: { delayMs: number; counts: boolean },
) => sql`
  update sourcing.file_jobs set next_attempt_at = now() + make_interval(secs => ${delayMs / 1000}), lease_token = null,
    attempts = attempts - ${counts ? 0 : 1}
  where file_id = ${file_id} and lease_token = ${lease_token}`

/** Deletes the job, and with it the encrypted URL, if the worker still holds the lease. */
export const deleteJob = (tx: Tx, { file_id, lease_token }: JobRow) => tx<{ file_id: string }[]>`
  delete from sourcing.file_jobs where file_id = ${file_id} and lease_token = ${lease_token} returning file_id`

/** Locks the part before the file, in the same order as every other change. */
export const lockPartOfFile = (tx: Tx, fileId: string) => tx<{ id: string; ip_owner_org_id: string }[]>`
  select p.id, p.ip_owner_org_id from sourcing.parts p
  where p.id = (select part_id from sourcing.files where id = ${fileId}) for update`

export const markReady = (tx: Tx, fileId: string, objectKey: string, info: ObjectInfo) => tx<{ id: string }[]>`
  update sourcing.files set state = 'READY', object_key = ${objectKey}, size_bytes = ${info.sizeBytes},
    content_type = ${info.contentType}, sha256 = ${info.sha256}, counted_bytes = ${info.sizeBytes}
  where id = ${fileId} and state = 'PENDING' returning id`

export const markFailed = (tx: Tx, fileId: string, reason: FileFailure) => tx<{ id: string }[]>`
  update sourcing.files set state = 'FAILED', reason = ${reason}, counted_bytes = 0
  where id = ${fileId} and state = 'PENDING' returning id`

export const listEncryptedUrls = (sql: Sql, afterFileId: string, limit: number) => sql<
  { file_id: string; encrypted_url: string }[]
>`
  select file_id, encrypted_url from sourcing.file_jobs
  where kind = 'import' and file_id > ${afterFileId} order by file_id limit ${limit}`

export const replaceEncryptedUrl = (sql: Sql, fileId: string, before: string, after: string) => sql<
  { file_id: string }[]
>`
  update sourcing.file_jobs set encrypted_url = ${after} where file_id = ${fileId} and encrypted_url = ${before}
  returning file_id`
