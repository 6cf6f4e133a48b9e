import type { Pool } from '../../kit/db/client.ts'
import type { Catalog } from '../catalog.ts'
import type { Entry } from '../files/format.ts'
import type { Problems } from './problems.ts'
import { analyzeEntries, listStagedKeys, stageEntries } from './queries.ts'
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
  const reportRepeated = ({ line, ...entry }: Entry, column: 'id' | 'code' = catalog.key) =>
    report(Number(line), `${column} "${entry[column]}" is given more than once`)

  /** Names the key of an entry if another one has it, and otherwise what else they share. */
  const reportUnstaged = async (entries: ReadonlyMap<string, Entry>) => {
    const rows = await listStagedKeys(sql, catalog, version, [...entries.keys()])
    const keys = new Set(rows.map(({ key }) => key))
    for (const [key, entry] of entries) reportRepeated(entry, keys.has(key) ? catalog.key : catalog.alsoUnique)
  }

  const flush = async () => {
    const inserted = await stageEntries(sql, catalog, [...batch.values()])
    staged += inserted.length
    const fresh = new Set(inserted.map(({ key }) => key))
    const unstaged = new Map([...batch].filter(([key]) => !fresh.has(key)))
    if (unstaged.size > 0) await reportUnstaged(unstaged)
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
      const numbered = { version, line: read.line, ...entry }
      if (batch.has(key)) reportRepeated(numbered)
      else batch.set(key, numbered)
    }
    if (batch.size >= BATCH_ENTRIES) await flush()
  }
  if (batch.size > 0) await flush()
  await analyzeEntries(sql, catalog)
  return staged
}
