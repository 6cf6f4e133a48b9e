/** The levels of the UNSPSC, and how many of the eight digits the code of each uses; the rest are zeros. */
export const LEVELS = [
  { name: 'segment', digits: 2 },
  { name: 'family', digits: 4 },
  { name: 'class', digits: 6 },
  { name: 'commodity', digits: 8 },
] as const

/** Whether a code belongs to the level with so many digits. */
export const isCodeOf = (digits: number, code: string): boolean =>
  /^\d{8}$/.test(code) && code.slice(digits - 2, digits) !== '00' && /^0*$/.test(code.slice(digits))

/** How deep the level of a code is: 0 for a segment to 3 for a commodity. */
export const depthOf = (code: string): number =>
  code.endsWith('000000') ? 0 : code.endsWith('0000') ? 1 : code.endsWith('00') ? 2 : 3
