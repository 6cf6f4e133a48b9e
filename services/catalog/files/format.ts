import type { Cell, Value } from './cells.ts'

/** One record of a file by the names of its columns, its cells without the spaces around them. */
export type FileRecord = Readonly<Record<string, string>>

/** What a catalog's table keeps of an entry. */
export type Entry = Readonly<Record<string, Value>>

/** The entries that a record makes, or what is wrong with it. */
export type Entries = { entries: readonly Entry[] } | { problem: string }

/** How the entries of a catalog are laid out in a CSV file. */
export interface FileFormat {
  readonly header: readonly string[]
  /** Columns of the catalog's table that an import writes. */
  readonly columns: readonly string[]
  /** Reads the records of one file, in their order. */
  reader(): (record: FileRecord) => Entries
  /** Writes the entries of a catalog, in the order of their keys; `undefined` after the last. */
  writer(): (entry: Entry | undefined) => readonly string[] | undefined
}

/** The plain layout: one record for each entry, a column of the file for each column of the table. */
export function entryPerRecord(cells: Readonly<Record<string, Cell>>): FileFormat {
  const columns = Object.entries(cells)
  const header = Object.keys(cells)
  return {
    header,
    columns: header,
    reader: () => (record) => {
      const entry: Record<string, Value> = {}
      for (const [name, cell] of columns) {
        const reading = cell.read(record[name] ?? '')
        if ('problem' in reading) return { problem: `${name} ${reading.problem}` }
        entry[name] = reading.value
      }
      return { entries: [entry] }
    },
    writer: () => (entry) => entry && columns.map(([name, cell]) => cell.write(entry[name] ?? null)),
  }
}
