/** Where an entry stands in a list that is newest first: those of one moment have the highest id first. */
export interface EntryKey {
  timestamp: string
  id: string
}

/** Every entry comes after this. */
export const NEWEST: EntryKey = { timestamp: '9999-12-31T23:59:59.999Z', id: '~' }

/** An entry with its key as the position at which a page ends. */
export const positioned = <Entry extends EntryKey>(entry: Entry): Entry & { position: string } => ({
  ...entry,
  position: `${entry.timestamp} ${entry.id}`,
})

/** The key at which the page before ended; before every entry where there is none. */
export function keyAt(position: string | undefined): EntryKey {
  if (position === undefined) return NEWEST
  const [timestamp = '', id = ''] = position.split(' ')
  return { timestamp, id }
}

/** Newest first, and among those of one moment the highest id first. */
export const inOrder = (a: EntryKey, b: EntryKey): number => compare(b.timestamp, a.timestamp) || compare(b.id, a.id)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Several lists as one in the order of the log, each entry once. */
export function merged(lists: readonly (readonly EntryKey[])[]): EntryKey[] {
  if (lists.length === 1) return [...(lists[0] ?? [])]
  const once = new Map(lists.flat().map((key) => [key.id, key]))
  return [...once.values()].sort(inOrder)
}
