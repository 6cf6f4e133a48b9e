import { PART_COLUMNS } from '../../../proto/http/sourcing/part-imports.ts'
import { csvOf } from '../../kit/csv/write.ts'
import type { Sql } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import { listContents } from './queries.ts'

/** Parts of one batch; no transaction is open between two batches. */
const BATCH_PARTS = 500

/** The table of an import without rows. */
export const template = (): string => csvOf([PART_COLUMNS])

interface ExportRequest {
  orgId: string
  /** Throws when the caller's access was revoked during the export. */
  recheck(): Promise<void>
}

/** The parts of an organization as the table of an import, in batches. */
export async function* tableOf(sql: Sql, { orgId, recheck }: ExportRequest): AsyncGenerator<string, void> {
  yield template()
  let before: string | undefined = NEWEST_ID
  while (before !== undefined) {
    const parts: Awaited<ReturnType<typeof listContents>> = await listContents(sql, orgId, before, BATCH_PARTS)
    if (parts.length > 0) {
      yield csvOf(
        parts.map(({ content }) => PART_COLUMNS.map((name) => content[name] ?? '')),
        { bom: false },
      )
    }
    before = parts[BATCH_PARTS - 1]?.id
    if (before !== undefined) await recheck()
  }
}
