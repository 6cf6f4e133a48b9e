import { stringify } from 'csv-stringify/sync'
import { neutralised } from './formulas.ts'

/** RFC 4180, with a byte order mark, without which Excel reads another encoding. Formulas are neutralised. */
export const csvOf = (rows: readonly (readonly (string | number)[])[], { bom = true } = {}): string =>
  stringify(
    rows.map((row) => row.map((cell) => (typeof cell === 'string' ? neutralised(cell) : cell))),
    { record_delimiter: 'windows', bom },
  )
