import type { Row } from './compare.ts'

/** A section that failed. The whole error is on standard error. */
export interface FailedRow {
  what: string
  reason: string
}

const MAX_REASON = 100
const DIGITS = { µs: 0, ms: 1, MB: 1 }

/** The rows as text; a figure that misses the wanted value is marked `short`. */
export const tableOf = (rows: readonly (Row | FailedRow)[]): string => Bun.inspect.table(rows.map(cellsOf))

export function cellsOf(row: Row | FailedRow): Record<string, string> {
  const { what } = row
  if ('reason' in row) return { what, ours: '', reference: row.reason.slice(0, MAX_REASON), result: 'FAILED' }
  const { ours, reference, result, unit, note = '', wanted } = row
  const withUnit = (value: number | string) => (unit ? `${value} ${unit}` : `${value}`)
  const shown = {
    what,
    ours,
    reference,
    result: `${withUnit(result.toFixed(unit ? DIGITS[unit] : 2))} ${note}`.trimEnd(),
  }
  if (!wanted) return { ...shown, wanted: '', '': '' }
  const [sign, limit] = 'atLeast' in wanted ? ['≥', wanted.atLeast] : ['≤', wanted.atMost]
  const met = sign === '≥' ? result >= limit : result <= limit
  return {
    ...shown,
    wanted: `${sign} ${withUnit(limit)}`,
    '': met ? '' : 'short',
  }
}
