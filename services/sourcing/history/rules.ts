/** Where an entry stands in a history, newest first. */
export interface EntryPlace {
  timestamp: string
  id: string
}

/** Every entry comes after this. */
export const NEWEST: EntryPlace = { timestamp: 'infinity', id: '' }

const SEPARATOR = ' '

/** A row with its place as one text, from which the next page goes on. */
export const positioned = <Row extends EntryPlace>(row: Row): Row & { position: string } => ({
  ...row,
  position: `${row.timestamp}${SEPARATOR}${row.id}`,
})

export function placeAt(position: string): EntryPlace {
  const [timestamp = '', id = ''] = position.split(SEPARATOR)
  return { timestamp, id }
}
