import type { FileFailure, FileState } from '../../../../proto/http/sourcing/files.ts'
import type { Sql } from '../../../kit/db/client.ts'

interface ImportRow {
  state: FileState
  reason: FileFailure | null
  received_bytes: string
  total_bytes: string | null
}

/** An import into a part of the organization. */
export const findImport = (sql: Sql, orgId: string, fileId: string) => sql<ImportRow[]>`
  select f.state, f.reason, i.received_bytes, i.total_bytes
  from sourcing.files f join sourcing.imports i on i.file_id = f.id
  where f.id = ${fileId} and f.org_id = ${orgId}`
