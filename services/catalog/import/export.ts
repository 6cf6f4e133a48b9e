import type { Pool } from '../../kit/db/client.ts'
import type { Catalog } from '../catalog.ts'
import { readStoredEntries } from './queries.ts'

/** Streams the published version of a catalog as a file that an import accepts. Returns the number of records. */
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

/** One line of a CSV file: RFC 4180 with a line feed, quoted only where necessary. */
const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
