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
