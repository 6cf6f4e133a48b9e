import { CsvError, parse } from 'csv-parse/sync'
import { closest } from 'fastest-levenshtein'
import type { FieldError } from '../../../proto/errors.ts'
import { invalidField, requireValid } from '../errors/refusal.ts'
import { restored } from './formulas.ts'

/** The row of a CSV file below its header. */
export interface CsvRow<Column extends string> {
  /** As a spreadsheet numbers it: the header is row 1. */
  row: number
  /** The cells with a value, without surrounding white space. */
  cells: Partial<Record<Column, string>>
}

interface Layout<Column extends string> {
  columns: readonly Column[]
  /** The columns that the file must have. */
  required: readonly Column[]
  maxRows: number
}

/** Empty rows cost time, too: half a million of them took ten seconds. */
const MAX_RECORDS_PER_ROW = 3
const MAX_CELLS = 100

/**
 * The rows of a CSV file with a header, separated by comma, semicolon or tab. Rows without a value are skipped. Throws
 * 400 for a file that is malformed, or whose columns are not those of the layout.
 */
export function readCsv<Column extends string>(csv: string, layout: Layout<Column>): CsvRow<Column>[] {
  const maxRecords = layout.maxRows * MAX_RECORDS_PER_ROW
  const [header = [], ...records] = recordsOf(csv, maxRecords + 1)
  if (header.length > MAX_CELLS) throw invalidField('csv', `must have at most ${MAX_CELLS} columns`)
  if (records.length > maxRecords) throw invalidField('csv', `must have at most ${maxRecords} rows with the empty ones`)
  const columns = columnsOf(header, layout)
  const rows: CsvRow<Column>[] = []
  const problems: FieldError[] = []
  for (const [index, record] of records.entries()) {
    const row = index + 2
    const cells: CsvRow<Column>['cells'] = {}
    for (const [at, cell] of record.entries()) {
      const value = restored(cell.trim())
      const column = columns[at]
      if (value === '') continue
      if (column === undefined) {
        problems.push({ field: `rows.${row}`, message: 'has more cells than the header' })
        break
      }
      cells[column] = value
    }
    if (Object.keys(cells).length > 0) rows.push({ row, cells })
    if (rows.length > layout.maxRows) throw invalidField('csv', `must have at most ${layout.maxRows} rows`)
  }
  requireValid(problems)
  if (rows.length === 0) throw invalidField('csv', 'must have a row below its header')
  return rows
}

function recordsOf(csv: string, maxRecords: number): string[][] {
  const text = csv.replace(/^\ufeff/, '')
  // Excel writes the separator in a first line of its own, which is no row.
  const [line, named] = /^sep=([,;\t])\r?\n/i.exec(text) ?? ['', undefined]
  const table = text.slice(line.length)
  try {
    return parse(table, {
      delimiter: named ?? separatorOf(table),
      relax_column_count: true,
      skip_empty_lines: false,
      to: maxRecords + 1,
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw invalidField('csv', `is malformed near line ${error.lines}: a quoted cell does not end properly`)
  }
}

/** The separator of the header, whose names contain none. */
function separatorOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/))
  const [separator] = [',', ';', '\t'].toSorted((a, b) => header.split(b).length - header.split(a).length)
  return separator as string
}

/** The columns of the header; undefined for a column without a name. */
function columnsOf<Column extends string>(header: readonly string[], { columns, required }: Layout<Column>) {
  const problems: FieldError[] = []
  const refuse = (message: string) => problems.push({ field: 'csv', message })
  const seen = new Set<string>()
  const found = header.map((cell, index) => {
    const name = cell.trim()
    if (name === '') return undefined
    const column = columns.find((one) => one.toLowerCase() === name.toLowerCase())
    if (column === undefined)
      refuse(`has an unknown name in column ${index + 1}; did you mean \`${closest(name, [...columns])}\`?`)
    else if (seen.has(column)) refuse(`has the column \`${column}\` twice`)
    if (column !== undefined) seen.add(column)
    return column
  })
  for (const column of required) if (!seen.has(column)) refuse(`must have the column \`${column}\``)
  requireValid(problems)
  return found
}
