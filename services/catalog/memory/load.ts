import type { Pool } from '../../kit/db/client.ts'
import { type Catalog, columnOf } from '../catalog.ts'
import { type Contents, ContentsBuilder, type Item } from './contents.ts'
import { readEntries } from './queries.ts'

/** Reads a catalog as it is at one moment. Being read-only, the transaction holds back nobody, however long it takes. */
export async function loadContents<Filter extends string>(
  sql: Pool,
  catalog: Catalog<Filter>,
): Promise<Contents<Filter>> {
  const columns = Object.keys(catalog.item.properties).map((property) => [property, columnOf(property)] as const)
  const itemOf = (row: Record<string, unknown>): Item =>
    Object.fromEntries(columns.flatMap(([property, column]) => (row[column] === null ? [] : [[property, row[column]]])))
  const builder = new ContentsBuilder(catalog)
  await sql.begin('isolation level repeatable read read only', async (tx) => {
    for await (const rows of readEntries(tx, catalog)) for (const row of rows) builder.add(itemOf(row))
  })
  return builder.build()
}
