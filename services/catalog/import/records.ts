import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { FileRecord } from '../files/format.ts'

/** A longer record indicates a missing closing quote. */
const MAX_RECORD_BYTES = 65_536

/** One record of a file, or its problem. `line` is its last line. */
type RecordOrProblem = { line: number } & ({ record: FileRecord } | { problem: string })

/** Streams a CSV file. The first line must have exactly the columns of `header`, in any order. */
export async function* recordsOf(
  bytes: NodeJS.ReadableStream,
  header: readonly string[],
): AsyncGenerator<RecordOrProblem> {
  const parser = parse({
    bom: true,
    info: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
  })
  // The parser's iteration reports errors of both streams.
  pipeline(bytes, parser, () => {})
  let columns: readonly string[] | undefined
  try {
    for await (const { record: cells, info } of parser as AsyncIterable<{
      record: string[]
      info: { lines: number }
    }>) {
      const line = info.lines
      if (columns === undefined) {
        columns = cells
        const problem = problemOfHeader(cells, header)
        if (problem === undefined) continue
        yield { line, problem }
        return
      }
      yield cells.length === columns.length
        ? { line, record: Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ''])) }
        : { line, problem: `has ${cells.length} cells where the first line names ${columns.length} columns` }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    yield { line: Number(error.lines ?? 0), problem: `is not CSV: ${error.message}` }
    return
  }
  if (columns === undefined) yield { line: 1, problem: 'is missing: the first line has to name the columns' }
}

function problemOfHeader(given: readonly string[], header: readonly string[]): string | undefined {
  const missing = header.filter((name) => !given.includes(name))
  const unknown = given.filter((name) => !header.includes(name))
  if (missing.length > 0) return `has to name the columns ${header.join(', ')}; missing: ${missing.join(', ')}`
  if (unknown.length > 0) return `names columns that this catalog does not have: ${unknown.join(', ')}`
  return given.length === header.length ? undefined : 'names a column more than once'
}
