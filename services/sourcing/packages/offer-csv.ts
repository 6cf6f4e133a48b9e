import { type FieldError, problem } from '../../../proto/errors.ts'
import { OfferInput } from '../../../proto/http/sourcing/offers.ts'
import type { PackageOffersInput } from '../../../proto/http/sourcing/rfq-package-offers.ts'
import { MAX_LINES } from '../../../proto/http/sourcing/rfq-packages.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { type CsvRow, readCsv } from '../../kit/csv/read.ts'
import { invalid, Refusal, renameFields, requireValid } from '../../kit/errors/refusal.ts'
import { problemFinder } from '../../kit/http/body.ts'
import { decimalOf, integerOf, isFormula, timeOf } from './cells.ts'
import { linesProblems } from './offer-rules.ts'

/** Columns that say what is asked. They are not read. */
const ASKED = ['serialNumber', 'partTitle', 'quantity'] as const
/** Columns of a price break; `rfqId` is in each row. */
const OF_BREAK = ['minQuantity', 'unitPrice', 'leadTimeDays'] as const
/** Columns of a line, which any of its rows may have. */
const OF_LINE = [
  'toolingCost',
  'shippingCost',
  'factoryId',
  'validUntil',
  'reference',
  'paymentTerms',
  'notes',
] as const

export const COLUMNS = ['rfqId', ...ASKED, ...OF_BREAK, ...OF_LINE] as const
type Column = (typeof COLUMNS)[number]

const LAYOUT = { columns: COLUMNS, required: ['rfqId', ...OF_BREAK], maxRows: 20 * MAX_LINES } as const

/** The rows of each line, to name its problems. */
type LineRows = readonly { first: number; breaks: readonly number[] }[]

const findProblems = problemFinder(OfferInput)

/** Problems that the schema of a request for offers does not express. */
export function offersProblems({ lines, csv }: PackageOffersInput): FieldError[] {
  if ((lines === undefined) === (csv === undefined)) return [problem('lines', 'must be sent, or `csv`, but not both')]
  return csv === undefined ? linesProblems(lines ?? []) : csvProblems(csv)
}

/** The problems of a file that do not depend on the package. */
function csvProblems(csv: string): FieldError[] {
  try {
    offersOfCsv(csv, 'EUR')
    return []
  } catch (error) {
    if (error instanceof Refusal && error.errors) return error.errors
    throw error
  }
}

/** The offers of a file: a row for each line and price break. Throws 400 with the rows and columns of its problems. */
export function offersOfCsv(csv: string, currency: Rfq['currency']): { lines: OfferInput[]; rows: LineRows } {
  const priced = readCsv(csv, LAYOUT).filter(
    ({ cells }) => cells.unitPrice !== undefined || cells.leadTimeDays !== undefined,
  )
  if (priced.length === 0) throw invalid([problem('csv', 'must have a row with a unitPrice')])
  const problems: FieldError[] = []
  const groups = [...Map.groupBy(priced, ({ cells }) => cells.rfqId ?? '')]
  const lines = groups.map(([rfqId, rows]) => offerOf(rfqId, rows, currency, problems))
  const rows = groups.map(([, own]) => ({ first: own[0]?.row ?? 0, breaks: own.map(({ row }) => row) }))
  requireValid(problems)
  const invalids = lines.flatMap((line, index) =>
    findProblems(line).map(({ field, message }) => problem(`lines.${index}.${field}`, message)),
  )
  const refused = [...invalids, ...linesProblems(lines as OfferInput[])]
  requireValid(refused.map((one) => inRow(rows, one)))
  return { lines: lines as OfferInput[], rows }
}

type Row = CsvRow<Column>

/** The offer of the rows of one RFQ. A cell that cannot be read is a problem; the schema checks the rest. */
function offerOf(rfqId: string, rows: readonly Row[], currency: Rfq['currency'], problems: FieldError[]): object {
  const refuseCell = ({ row }: Row, column: Column, message: string) =>
    problems.push(problem(`rows.${row}.${column}`, message))
  const read = <Value>(row: Row, column: Column, parse: (text: string) => Value | undefined, form: string) => {
    const text = row.cells[column]
    if (text === undefined) return undefined
    const value = parse(text)
    if (value === undefined) refuseCell(row, column, form)
    return value
  }
  const money = (row: Row, column: Column) => {
    const amount = read(
      row,
      column,
      decimalOf,
      'must be a number such as 1234.50, without three decimals, which could be thousands',
    )
    return amount === undefined ? undefined : { amount, currency }
  }
  const integer = (row: Row, column: Column) =>
    read(row, column, integerOf, 'must be a whole number without separators')
  const plain = (row: Row, column: Column) =>
    read(row, column, (text) => (isFormula(text) ? undefined : text), 'must be a text, not a formula')
  const first = rows[0] as Row
  if (rfqId === '') refuseCell(first, 'rfqId', 'is required')
  const priceBreaks = rows.map((row) => {
    for (const column of OF_BREAK) if (row.cells[column] === undefined) refuseCell(row, column, 'is required')
    return {
      minQuantity: integer(row, 'minQuantity'),
      unitPrice: money(row, 'unitPrice'),
      leadTimeDays: integer(row, 'leadTimeDays'),
    }
  })
  /** The row that has the cell of a line. Its other rows may repeat it, and not contradict it. */
  const rowWith = (column: (typeof OF_LINE)[number]): Row => {
    const filled = rows.filter(({ cells }) => cells[column] !== undefined)
    const [one = first] = filled
    for (const row of filled) {
      if (row.cells[column] !== one.cells[column])
        refuseCell(row, column, `differs from row ${one.row} of the same RFQ`)
    }
    return one
  }
  const line = {
    rfqId,
    factoryId: plain(rowWith('factoryId'), 'factoryId'),
    priceBreaks,
    toolingCost: money(rowWith('toolingCost'), 'toolingCost'),
    shippingCost: money(rowWith('shippingCost'), 'shippingCost'),
    validUntil: read(
      rowWith('validUntil'),
      'validUntil',
      timeOf,
      'must be a day such as 2031-06-29, or a time with an offset',
    ),
    reference: plain(rowWith('reference'), 'reference'),
    paymentTerms: plain(rowWith('paymentTerms'), 'paymentTerms'),
    notes: plain(rowWith('notes'), 'notes'),
  }
  for (const column of ['factoryId', 'validUntil'] as const) {
    if (rows.every(({ cells }) => cells[column] === undefined)) refuseCell(first, column, 'is required')
  }
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined))
}

/** Names the fields of a refusal by the rows of the file, where the request has one. */
export const inRows = <Result>(rows: LineRows | undefined, work: () => Promise<Result>): Promise<Result> =>
  rows ? renameFields((one) => inRow(rows, one), work) : work()

/** `rows.7.unitPrice` for `lines.2.priceBreaks.1.unitPrice.amount`. */
function inRow(rows: LineRows, { field, message }: FieldError): FieldError {
  const [, line, rest = ''] = /^lines\.(\d+)\.?(.*)$/.exec(field) ?? []
  const own = line === undefined ? undefined : rows[Number(line)]
  if (!own) return { field: field === 'lines' ? 'csv' : field, message }
  const [, place, column] = /^priceBreaks\.(\d+)\.(\w+)/.exec(rest) ?? []
  const row = place === undefined ? own.first : (own.breaks[Number(place)] ?? own.first)
  const name = column ?? rest.split('.')[0] ?? ''
  return { field: name === '' ? `rows.${row}` : `rows.${row}.${name}`, message }
}
