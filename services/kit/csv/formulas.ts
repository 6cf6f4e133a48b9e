/** What a spreadsheet would calculate, behind any number of the apostrophes that neutralise it. */
const FORMULA = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** A cell with an apostrophe before a formula, so that a spreadsheet shows its text instead of calculating it. */
export const neutralised = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell)

/** The text of a cell before it was neutralised. */
export const restored = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell)
