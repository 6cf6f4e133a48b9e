/** One row of the result. */
export interface Row {
  what: string
  ours: string
  reference: string
  /** A ratio or a time, as the wanted value. */
  result: string
  wanted: string
  /** Undefined where nothing is wanted. */
  met?: boolean
}

const COLUMNS = ['what', 'ours', 'reference', 'result', 'wanted', '']

/** The rows as a table of text; a row below the wanted value ends with `short`. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ what, ours, reference, result, wanted, met }) => [
    ...[what, ours, reference, result, wanted],
    met === false ? 'short' : '',
  ])
  const widths = COLUMNS.map((column, at) => Math.max(column.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) => widths.map((width, at) => (row[at] ?? '').padEnd(width)).join('  ')
  return [COLUMNS, widths.map((width) => '-'.repeat(width)), ...cells].map((row) => line(row).trimEnd()).join('\n')
}

/** The whole reason is on standard error. */
const MAX_REASON = 100

/** The row of a section that failed. */
export const failedRow = (section: string, error: unknown): Row => ({
  what: section,
  ours: '',
  reference: (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, MAX_REASON) ?? '',
  result: 'FAILED',
  wanted: '',
})
