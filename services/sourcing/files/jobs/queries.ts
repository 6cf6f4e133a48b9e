import type { FileFailure } from '../../../../proto/http/sourcing/files.ts'
import type { Sql, Tx } from '../../../kit/db/client.ts'
import type { RecordKey } from '../queries.ts'
import type { ObjectInfo } from '../storage/storage.ts'
import { IMPORT, type Progress } from './rules.ts'

/** Inserts a row for the progress of an import, which is kept after it has ended. */
export const insertImport = (tx: Tx, fileId: string) => tx`insert into sourcing.imports (file_id) values (${fileId})`

/** The last progress of an import. */
export const recordProgress = (tx: Tx, fileId: string, { receivedBytes, totalBytes }: Progress) => tx`
  update sourcing.imports set received_bytes = ${receivedBytes}, total_bytes = ${totalBytes} where file_id = ${fileId}`

/** Locks the part before the file, in the same order as every other change. */
export const lockPartOfFile = (tx: Tx, fileId: string) => tx`
  select id from sourcing.parts where id = (select part_id from sourcing.files where id = ${fileId}) for update`

/** The records of a document and its copies; no row for a file of a part. */
export const listRecordsOfFile = (sql: Sql, fileId: string) => sql<RecordKey[]>`
  select record_kind as kind, record_id as id from sourcing.files
  where (id = ${fileId} or copy_of = ${fileId}) and record_id is not null
  group by record_kind, record_id order by record_id`

interface LockedFile {
  /** Null for a document. */
  part_id: string | null
  org_id: string
  is_current: boolean
}

/**
 * A file and whether it belongs to its part as it is now. Others belong to pinned revisions. A revision of an offer
 * that copies a document waits for the end of its job, or the copy ends with it.
 */
export const lockFile = (tx: Tx, fileId: string) => tx<LockedFile[]>`
  select part_id, org_id, removed_at is null as is_current from sourcing.files where id = ${fileId} for update`

/** Makes a PENDING file and its copies READY. Only the first one counts toward the quota. */
export const markReady = (tx: Tx, fileId: string, objectKey: string, info: ObjectInfo) => tx<{ id: string }[]>`
  update sourcing.files set state = 'READY', object_key = ${objectKey}, size_bytes = ${info.sizeBytes},
    content_type = ${info.contentType}, sha256 = ${info.sha256},
    counted_bytes = case when copy_of is null then ${info.sizeBytes}::bigint else 0 end
  where (id = ${fileId} or copy_of = ${fileId}) and state = 'PENDING' returning id`

export const markFailed = (tx: Tx, fileId: string, reason: FileFailure) => tx<{ id: string }[]>`
  update sourcing.files set state = 'FAILED', reason = ${reason}, counted_bytes = 0
  where (id = ${fileId} or copy_of = ${fileId}) and state = 'PENDING' returning id`

export const listEncryptedUrls = (sql: Sql, afterFileId: string, limit: number) => sql<
  { id: string; encrypted_url: string }[]
>`
  select id, data ->> 'encryptedUrl' as encrypted_url from sourcing.jobs
  where kind = ${IMPORT} and id > ${afterFileId} order by id limit ${limit}`

export const replaceEncryptedUrl = (sql: Sql, fileId: string, before: string, after: string) => sql`
  update sourcing.jobs set data = jsonb_build_object('encryptedUrl', ${after}::text)
  where kind = ${IMPORT} and id = ${fileId} and data ->> 'encryptedUrl' = ${before}`
