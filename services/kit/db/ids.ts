import { monotonicFactory, ulid } from 'ulid'

const nextUlid = monotonicFactory()

/** `part_01J…`: a prefix and a monotonic ULID. Ids of one process sort by creation, even within a millisecond. */
export const newId = <const P extends string>(prefix: P): `${P}_${string}` => `${prefix}_${nextUlid()}`

let latest = { timeMs: Number.NaN, nextUlid: monotonicFactory() }

/**
 * An id of a record that is listed newest first by its id. It contains the record's creation time, so that both have
 * the same order, whichever replica created it. Ids of one process and time sort by creation.
 */
export function newIdAt<const P extends string>(prefix: P, createdAt: string): `${P}_${string}` {
  const timeMs = Date.parse(createdAt)
  if (timeMs !== latest.timeMs) latest = { timeMs, nextUlid: monotonicFactory() }
  return `${prefix}_${latest.nextUlid(timeMs)}`
}

/**
 * An id with a random part of its own, for records that are created together and read by different organizations. It
 * does not tell how many ids were made between it and another one of the same time.
 */
export const newSeparateIdAt = <const P extends string>(prefix: P, createdAt: string): `${P}_${string}` =>
  `${prefix}_${ulid(Date.parse(createdAt))}`

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

type SerialLetter = 'P' | 'R' | 'O'

/** A trillion serial numbers are possible, so one of ten random ones is practically always free. */
const MAX_ATTEMPTS = 10

/** Inserts a record with a free serial number. `insert` returns no row where the number is taken. */
export async function withSerialNumber<Row>(
  letter: SerialLetter,
  insert: (serialNumber: string) => PromiseLike<readonly Row[]>,
  generate = newSerialNumber,
): Promise<Row> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const [row] = await insert(generate(letter))
    if (row) return row
  }
  throw new Error(`no free serial number in ${MAX_ATTEMPTS} attempts`)
}

/** Inserts records with free serial numbers. `insert` returns the ids of those whose numbers were free. */
export async function withSerialNumbers<Item extends { id: string }>(
  letter: SerialLetter,
  records: readonly Item[],
  insert: (numbered: (Item & { serialNumber: string })[]) => PromiseLike<readonly { id: string }[]>,
): Promise<void> {
  let missing = records
  for (let attempt = 0; attempt < MAX_ATTEMPTS && missing.length > 0; attempt++) {
    const rows = await insert(missing.map((record) => ({ ...record, serialNumber: newSerialNumber(letter) })))
    const inserted = new Set(rows.map(({ id }) => id))
    missing = missing.filter(({ id }) => !inserted.has(id))
  }
  if (missing.length > 0) throw new Error(`no free serial number in ${MAX_ATTEMPTS} attempts`)
}

/** `P-7K2M9QXA`: eight random Crockford characters, which are easy to read aloud. */
export function newSerialNumber(letter: SerialLetter): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  return `${letter}-${Array.from(bytes, (byte) => CROCKFORD[byte % 32]).join('')}`
}
