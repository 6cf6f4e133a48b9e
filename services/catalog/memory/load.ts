import type { Pool } from '../../kit/db/client.ts'
import type { Catalog } from '../catalog.ts'
import { type Contents, ContentsBuilder } from './contents.ts'
import { readEntries, setLongTimeout } from './queries.ts'

const BATCHES_BETWEEN_COLLECTIONS = 32

/** Reads a consistent snapshot of a catalog. A read-only transaction does not delay the cursors of the event bus. */
export async function loadContents<Filter extends string>(
  sql: Pool,
  catalog: Catalog<Filter>,
): Promise<Contents<Filter>> {
  const itemOf = catalog.rows.reader()
  const builder = new ContentsBuilder(catalog)
  await sql.begin('isolation level repeatable read read only', async (tx) => {
    await setLongTimeout(tx)
    let batches = 0
    for await (const rows of readEntries(tx, catalog)) {
      for (const row of rows) builder.add(itemOf(row))
      batches += 1
      if (batches % BATCHES_BETWEEN_COLLECTIONS === 0) Bun.gc(true)
    }
  })
  return builder.build()
}
