import { DOCUMENTED, type Documented } from '../operations/document.ts'

const kindOf = ({ errorFormat, method, body, contract }: Documented) =>
  [errorFormat, contract.form, contract.access === 'public', body ? 'body' : method === 'GET' ? 'read' : 'verb'].join(
    ' ',
  )

/** The first operation of each kind of request: of a format, with or without body and token. */
const MODELS = new Set(new Map(DOCUMENTED.toReversed().map((operation) => [kindOf(operation), operation])).values())

/**
 * One of `parts` items for an operation; the operations take turns. The items test code that all operations share, such
 * as the reader of JSON or the router, so only one operation of each kind of request gets all of them. `step` is a
 * position in the operation, so that its fields get different items.
 */
export const shareOf = <T>(operation: Documented, items: readonly T[], parts: number, step = 0): readonly T[] =>
  MODELS.has(operation)
    ? items
    : items.filter((_, index) => (DOCUMENTED.indexOf(operation) + step + index) % parts === 0)
