/** Sort key of lists that are newest first: entries of one millisecond have the highest id first. */
export interface TimeKey {
  timestamp: string
  id: string
}

/** Sorts before every entry. */
export const NEWEST: TimeKey = { timestamp: '9999-12-31T23:59:59.999Z', id: '~' }

/** Sorts before every id in a list that has the highest id first. */
export const NEWEST_ID = '~'

/** Sorts before every number in a list that has the highest number first. */
export const GREATEST_INTEGER = '2147483647'

export const positionOfId = ({ id }: { id: string }) => id

export const positionOfTime = ({ timestamp, id }: TimeKey) => `${timestamp} ${id}`

/** The key of a position; `NEWEST` at the beginning of the list. */
export function timeKeyAt(position: string | undefined): TimeKey {
  if (position === undefined) return NEWEST
  const [timestamp = '', id = ''] = position.split(' ')
  return { timestamp, id }
}

/** Sort key of lists by name, with the id as tie-break. */
interface NameKey {
  name: string
  id: string
}

export const positionOfName = ({ name, id }: NameKey) => `${name} ${id}`

/** The key of a position; one that sorts before every other at the beginning of the list. An id contains no space. */
export function nameKeyAt(position = ' '): NameKey {
  const space = position.lastIndexOf(' ')
  return { name: position.slice(0, space), id: position.slice(space + 1) }
}

/** Merges lists that are newest first; an entry of several lists is kept once. */
export function mergeNewestFirst(lists: readonly (readonly TimeKey[])[]): readonly TimeKey[] {
  const [only] = lists
  if (lists.length === 1 && only) return only
  const byId = new Map(lists.flat().map((key) => [key.id, key]))
  return [...byId.values()].sort((a, b) => compare(b.timestamp, a.timestamp) || compare(b.id, a.id))
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
