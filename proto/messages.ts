/** One line of words, as people write names and codes. Other text of a request is not repeated in an answer. */
const REPEATABLE = /^[\p{L}\p{N}](?:[\p{L}\p{N} ,._()+-]{0,63})$/u

/** The lists of records that a request refers to. */
const LISTED_AT: Readonly<Record<string, string>> = {
  category: '/v1/categories',
  criticality: '/v1/criticalities',
  material: '/v1/materials',
  process: '/v1/processes',
  standard: '/v1/standards',
  technology: '/v1/technologies',
  'UNSPSC category': '/v1/unspsc-categories',
  'business unit': '/flows/v1/business-units',
}

/**
 * The message for an id of no record that the caller can reach, with the path of the list of such records. Unknown and
 * foreign ids get the same message.
 */
export const noSuch = (what: string, id: string, where = ''): string => {
  const named = REPEATABLE.test(id) ? `\`${id}\`` : 'with this id'
  const list = LISTED_AT[what]
  return [`there is no ${what} ${named}`, where && ` ${where}`, list && `; see GET ${list}`].join('')
}

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** `DRAFT, OPEN or CLOSED`. */
export const oneOf = (words: readonly string[]): string => ALTERNATIVES.format(words)
