import type { Pool } from '../../kit/db/client.ts'
import type { Catalog } from '../catalog.ts'
import type { Entry } from '../files/format.ts'
import type { Problems } from './problems.ts'
import { analyzeEntries, stageEntries } from './queries.ts'
import { recordsOf } from './records.ts'

/** Maximum number of entries in one transaction. */
const BATCH_ENTRIES = 1000

/** A file to import. */
export interface Source {
  catalog: Catalog
  open(): NodeJS.ReadableStream
  /** Whether it is a shipped file. */
  shipped: boolean
}

/**
 * Loads a file into an unpublished version and returns the number of entries. One batch is in memory at a time. All
 * problems are collected, so that one run shows them all.
 */
export async function stageFile(
  sql: Pool,
  { catalog, open }: Source,
  version: string,
  problems: Problems,
  onRecord: () => void,
): Promise<number> {
  const entriesOf = catalog.file.reader()
  let batch = new Map<string, Entry>()
  let staged = 0
  const report = (line: number, reason: string) => problems.add({ catalog: catalog.name, line, reason })
  const reportRepeated = (line: number, key: string) => report(line, `${catalog.key} "${key}" is given more than once`)

  const flush = async () => {
    const inserted = await stageEntries(sql, catalog, [...batch.values()])
    staged += inserted.length
    const fresh = new Set(inserted.map(({ key }) => key))
    for (const [key, { line }] of batch) if (!fresh.has(key)) reportRepeated(Number(line), key)
    batch = new Map()
  }

  for await (const read of recordsOf(open(), catalog.file.header)) {
    const result = 'problem' in read ? read : entriesOf(read.record)
    onRecord()
    if ('problem' in result) {
      report(read.line, result.problem)
      continue
    }
    for (const entry of result.entries) {
      const key = String(entry[catalog.key])
      if (batch.has(key)) reportRepeated(read.line, key)
      else batch.set(key, { version, line: read.line, ...entry })
    }
    if (batch.size >= BATCH_ENTRIES) await flush()
  }
  if (batch.size > 0) await flush()
  await analyzeEntries(sql, catalog)
  return staged
}
