/** Where an entry stands in a history, newest first. */
export interface EntryPlace {
  timestamp: string
  id: string
}

/** Every entry comes after this. */
const NEWEST: EntryPlace = { timestamp: 'infinity', id: '' }

const SEPARATOR = ' '

/** A row with its place as one text, from which the next page goes on. */
export const positioned = <Row extends EntryPlace>(row: Row): Row & { position: string } => ({
  ...row,
  position: `${row.timestamp}${SEPARATOR}${row.id}`,
})

/** The place of the last row of the page before: what comes after it belongs to the page. */
export function placeAfter(position: string | undefined): EntryPlace {
  if (position === undefined) return NEWEST
  const [timestamp = '', id = ''] = position.split(SEPARATOR)
  return { timestamp, id }
}
