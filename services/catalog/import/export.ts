import type { Pool } from '../../kit/db/client.ts'
import type { Catalog } from '../catalog.ts'
import { csvLine } from '../files/csv.ts'
import { readStoredEntries } from './queries.ts'

/** Writes what a catalog serves as the file that an import of it takes, piece by piece; answers how many records it has. */
export async function exportCatalog(
  sql: Pool,
  catalog: Catalog,
  write: (text: string) => Promise<void>,
): Promise<number> {
  const recordOf = catalog.file.writer()
  let records = 0
  const linesOf = (entry: Parameters<typeof recordOf>[0]): string => {
    const record = recordOf(entry)
    if (record === undefined) return ''
    records += 1
    return csvLine(record)
  }
  await sql.begin('isolation level repeatable read read only', async (tx) => {
    await write(csvLine(catalog.file.header))
    for await (const entries of readStoredEntries(tx, catalog)) await write(entries.map(linesOf).join(''))
    await write(linesOf(undefined))
  })
  return records
}
