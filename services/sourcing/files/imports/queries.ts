import type { FileFailure, FileState } from '../../../../proto/http/sourcing/files.ts'
import type { Sql } from '../../../kit/db/client.ts'
import { IMPORT } from '../jobs/rules.ts'

interface ImportRow {
  state: FileState
  reason: FileFailure | null
  received_bytes: string
  total_bytes: string | null
}

/** An import into a part of the organization. While it runs, its job has the progress. */
export const findImport = (sql: Sql, orgId: string, fileId: string) => sql<ImportRow[]>`
  select f.state, f.reason, coalesce((j.progress ->> 'receivedBytes')::bigint, i.received_bytes) as received_bytes,
    coalesce((j.progress ->> 'totalBytes')::bigint, i.total_bytes) as total_bytes
  from sourcing.files f join sourcing.imports i on i.file_id = f.id
  left join sourcing.jobs j on j.kind = ${IMPORT} and j.id = f.id
  where f.id = ${fileId} and f.org_id = ${orgId}`
