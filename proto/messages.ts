import { PATH_ID } from './http/shapes.ts'

/**
 * The message for an id that refers to nothing in reach of the caller. Unknown and foreign ids get the same message. A text
 * that is no id is not repeated.
 */
export const noSuch = (what: string, id: string, where = ''): string =>
  `there is no ${what} ${PATH_ID.test(id) ? `\`${id}\`` : 'with this id'}${where === '' ? '' : ` ${where}`}`

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** `DRAFT, OPEN or CLOSED`. */
export const oneOf = (words: readonly string[]): string => ALTERNATIVES.format(words)
