import type { Item, Row, RowFormat } from '../memory/rows.ts'

/**
 * Derives the levels above a row from the rows before it, because rows are ordered by code. Joining them in Postgres
 * would take fifteen times as long.
 */
export const unspscRows: RowFormat = {
  view: 'catalog.unspsc_titles',
  columns: ['id', 'title'],
  reader() {
    let path: Record<string, string>[] = []
    return (row: Row): Item => {
      const id = String(row.id)
      const label = String(row.title)
      const depth = depthOf(id)
      const { name } = LEVELS[depth] ?? LEVELS[0]
      path = [...path.slice(0, depth), { [`${name}Number`]: id, [`${name}Title`]: label }]
      return Object.assign({ id, level: depth + 1, label }, ...path)
    }
  },
}

/** The levels of the UNSPSC with the number of significant digits in their eight-digit codes. */
export const LEVELS = [
  { name: 'segment', digits: 2 },
  { name: 'family', digits: 4 },
  { name: 'class', digits: 6 },
  { name: 'commodity', digits: 8 },
] as const

/** Whether a code belongs to the level with this number of digits. */
export const isCodeOf = (digits: number, code: string): boolean =>
  /^\d{8}$/.test(code) && code.slice(digits - 2, digits) !== '00' && /^0*$/.test(code.slice(digits))

/** The depth of a code: 0 for a segment to 3 for a commodity. */
export const depthOf = (code: string): number =>
  code.endsWith('000000') ? 0 : code.endsWith('0000') ? 1 : code.endsWith('00') ? 2 : 3
