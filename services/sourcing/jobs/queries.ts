import type { FileFailure } from '../../../proto/http/sourcing/files.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { ObjectInfo } from '../storage/storage.ts'

/** How long workers may try, with all their tries: what is in our own store waits for it to come back. */
const [COPY_LIFE, IMPORT_LIFE] = ['24 hours', '30 minutes'] as const
/** A worker that says nothing for so long is dead, and its job another's. */
const LEASE = '15 seconds'

export interface NewCopy {
  fileId: string
  sourceKey: string
  sourceEtag: string
}

export const insertCopyJob = (tx: Tx, { fileId, sourceKey, sourceEtag }: NewCopy, now: string) => tx`
  insert into sourcing.file_jobs (file_id, kind, source_key, source_etag, next_attempt_at, deadline_at)
  values (${fileId}, 'copy', ${sourceKey}, ${sourceEtag}, now(), ${now}::timestamptz + ${COPY_LIFE}::interval)`

export interface NewImport {
  fileId: string
  sealedUrl: string
}

/** Also where its progress is told. */
export const insertImport = (tx: Tx, { fileId, sealedUrl }: NewImport, now: string) => tx`
  with progress as (insert into sourcing.imports (file_id) values (${fileId}))
  insert into sourcing.file_jobs (file_id, kind, sealed_url, next_attempt_at, deadline_at)
  values (${fileId}, 'import', ${sealedUrl}, now(), ${now}::timestamptz + ${IMPORT_LIFE}::interval)`

export interface JobRow {
  file_id: string
  kind: 'copy' | 'import'
  source_key: string | null
  source_etag: string | null
  sealed_url: string | null
  attempts: number
  deadline_at: string
  lease_token: string
  org_id: string
}

/** Jobs of one organization at a time, on all replicas together: slow sources of one shall not keep the others waiting. */
const JOBS_OF_ONE = 2

/**
 * The oldest job of the organization whose last turn is longest ago: whoever has thousands waiting keeps nobody from his
 * turn. Leases go by the database's clock, the one that all replicas share. Who has enough is found out once, not for each
 * of these thousands.
 */
export const claimJob = (sql: Sql, leaseToken: string, kinds: readonly JobRow['kind'][]) => sql<JobRow[]>`
  with served as materialized (
    select f.org_id, j.kind
    from sourcing.file_jobs j join sourcing.files f on f.id = j.file_id
    where j.lease_token is not null and j.next_attempt_at > now()
    group by f.org_id, j.kind having count(*) >= ${JOBS_OF_ONE}
  ), next as materialized (
    select due.file_id, d.org_id
    from sourcing.file_jobs due join sourcing.files d on d.id = due.file_id
      left join sourcing.file_turns t on t.org_id = d.org_id
    where due.next_attempt_at <= now() and due.kind = any(${[...kinds]})
      and not exists (select from served s where s.org_id = d.org_id and s.kind = due.kind)
    order by t.began_at nulls first, due.next_attempt_at limit 1 for update of due skip locked
  ), turn as (
    insert into sourcing.file_turns (org_id, began_at) select org_id, clock_timestamp() from next
    on conflict (org_id) do update set began_at = excluded.began_at
  )
  update sourcing.file_jobs j
  set attempts = j.attempts + 1, lease_token = ${leaseToken}, next_attempt_at = now() + ${LEASE}::interval
  from next where j.file_id = next.file_id
  returning j.file_id, j.kind, j.source_key, j.source_etag, j.sealed_url, j.attempts, j.deadline_at, j.lease_token,
    next.org_id`

/** Whether an import could begin, were there room for it. */
export const findWaitingImport = (sql: Sql) => sql<{ file_id: string }[]>`
  with served as materialized (
    select f.org_id
    from sourcing.file_jobs j join sourcing.files f on f.id = j.file_id
    where j.kind = 'import' and j.lease_token is not null and j.next_attempt_at > now()
    group by f.org_id having count(*) >= ${JOBS_OF_ONE}
  )
  select due.file_id from sourcing.file_jobs due join sourcing.files d on d.id = due.file_id
  where due.kind = 'import' and due.next_attempt_at <= now()
    and not exists (select from served s where s.org_id = d.org_id)
  limit 1`

/** How far a try is. */
export interface Progress {
  receivedBytes: number
  totalBytes: number | null
}

/**
 * Says that the worker is alive, and how far it is. No row: the file is gone, or the job is over or another worker's, and
 * what this one knows is no longer news. (A file that is not imported has no row of progress.)
 */
export const extendLease = (sql: Sql, { file_id, lease_token }: JobRow, { receivedBytes, totalBytes }: Progress) => sql<
  { file_id: string }[]
>`
  with held as (
    update sourcing.file_jobs set next_attempt_at = now() + ${LEASE}::interval
    where file_id = ${file_id} and lease_token = ${lease_token} returning file_id
  ), told as (
    update sourcing.imports i set received_bytes = ${receivedBytes}, total_bytes = ${totalBytes}
    from held where i.file_id = held.file_id
  )
  select file_id from held`

/** All of it is there. A file that was not imported has no such row. */
export const recordWhole = (tx: Tx, fileId: string, sizeBytes: number) => tx`
  update sourcing.imports set received_bytes = ${sizeBytes}, total_bytes = ${sizeBytes} where file_id = ${fileId}`

/** Gives the job back. A try that we broke off ourselves does not count. */
export const postponeJob = (
  sql: Sql,
  { file_id, lease_token }: JobRow,
  { delayMs, counts }: { delayMs: number; counts: boolean },
) => sql`
  update sourcing.file_jobs set next_attempt_at = now() + make_interval(secs => ${delayMs / 1000}), lease_token = null,
    attempts = attempts - ${counts ? 0 : 1}
  where file_id = ${file_id} and lease_token = ${lease_token}`

/** Ends the job for the worker that still has it; what it knew is gone with the row. */
export const deleteJob = (tx: Tx, { file_id, lease_token }: JobRow) => tx<{ file_id: string }[]>`
  delete from sourcing.file_jobs where file_id = ${file_id} and lease_token = ${lease_token} returning file_id`

/** The part before the file, in the order in which every other change holds them. */
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

export const listSealedUrls = (sql: Sql, afterFileId: string, limit: number) => sql<
  { file_id: string; sealed_url: string }[]
>`
  select file_id, sealed_url from sourcing.file_jobs
  where kind = 'import' and file_id > ${afterFileId} order by file_id limit ${limit}`

export const resealUrl = (sql: Sql, fileId: string, before: string, after: string) => sql<{ file_id: string }[]>`
  update sourcing.file_jobs set sealed_url = ${after} where file_id = ${fileId} and sealed_url = ${before}
  returning file_id`
