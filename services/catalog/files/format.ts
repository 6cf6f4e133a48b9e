import { type Cell, type Value, written } from './cells.ts'

/** One record of a file by column name, with trimmed cells. */
export type FileRecord = Readonly<Record<string, string>>

/** The stored columns of an entry. */
export type Entry = Readonly<Record<string, Value>>

/** The entries of a record, or its problems. */
export type Entries = { entries: readonly Entry[] } | { problem: string }

/** The CSV format of a catalog. */
export interface FileFormat {
  readonly header: readonly string[]
  /** Columns of the table that an import writes. */
  readonly columns: readonly string[]
  /** Reads the records of a file in order. */
  reader(): (record: FileRecord) => Entries
  /** Writes the entries of a catalog in key order; `undefined` after the last. */
  writer(): (entry: Entry | undefined) => readonly string[] | undefined
}

/** The default format: one record for each entry and one file column for each table column. */
export function entryPerRecord(cells: Readonly<Record<string, Cell>>): FileFormat {
  const header = Object.keys(cells)
  return {
    header,
    columns: header,
    reader: () => (record) => {
      const entry: Record<string, Value> = {}
      for (const [name, cell] of Object.entries(cells)) {
        const reading = cell(record[name] ?? '')
        if ('problem' in reading) return { problem: `${name} ${reading.problem}` }
        entry[name] = reading.value
      }
      return { entries: [entry] }
    },
    writer: () => (entry) => entry && header.map((name) => written(entry[name] ?? null)),
  }
}
