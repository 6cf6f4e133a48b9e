import { type SecretBox, WrongEncryptionKey } from './box.ts'

const BATCH_SIZE = 500
/** Reads of a row whose secrets change again and again. */
const MAX_READS = 5

/** How the secrets of one table are read and written. */
interface SecretTable<Row extends { id: string }> {
  /** The next rows after an id, by id. */
  list: (after: string, limit: number) => Promise<readonly Row[]>
  secretsOf: (row: Row) => readonly string[]
  /** Writes the secrets of a row in the order of `secretsOf`; `count` is 0 if they have changed since it was read. */
  replace: (row: Row, secrets: string[]) => Promise<{ count: number }>
}

export interface Reencryption {
  /** Rows that were written. */
  reencrypted: number
  /** Rows with a secret that stays encrypted with an older key, and why. */
  failed: readonly { id: string; reason: string }[]
}

/** Re-encrypts the secrets of a table with the current key, so that older keys can be removed. */
export async function reencryptTable<Row extends { id: string }>(
  box: SecretBox,
  table: SecretTable<Row>,
): Promise<Reencryption> {
  const failed: { id: string; reason: string }[] = []
  let reencrypted = 0
  let after = ''
  for (;;) {
    const rows = await table.list(after, BATCH_SIZE)
    if (rows.length === 0) return { reencrypted, failed }
    for (const row of rows) {
      const { count, reason } = await reencryptRow(box, table, row, after)
      reencrypted += count
      if (reason !== undefined) failed.push({ id: row.id, reason })
      after = row.id
    }
  }
}

/**
 * A row that has changed since it was read is read again, because the change may have kept a secret of an older key.
 * `after` is the id of the row before it.
 */
async function reencryptRow<Row extends { id: string }>(
  box: SecretBox,
  { list, secretsOf, replace }: SecretTable<Row>,
  read: Row,
  after: string,
): Promise<{ count: number; reason?: string | undefined }> {
  let row = read
  for (let reads = 1; reads <= MAX_READS; reads++) {
    const stored = secretsOf(row)
    const next = await Promise.all(stored.map((one) => withCurrentKey(box, one)))
    const reason = next.find((one) => one.reason !== undefined)?.reason
    const secrets = next.map(({ secret }) => secret)
    if (secrets.every((secret, index) => secret === stored[index])) return { count: 0, reason }
    const { count } = await replace(row, secrets)
    if (count > 0) return { count, reason }
    const [again] = await list(after, 1)
    // The row has ended.
    if (again?.id !== row.id) return { count: 0 }
    row = again
  }
  return { count: 0, reason: 'Its secrets changed each time before they were re-encrypted.' }
}

/** A secret encrypted with the current key. One that cannot be decrypted stays as it is. */
async function withCurrentKey(box: SecretBox, secret: string): Promise<{ secret: string; reason?: string }> {
  if (box.isCurrent(secret)) return { secret }
  try {
    return { secret: await box.encrypt(await box.decrypt(secret)) }
  } catch (error) {
    if (!(error instanceof WrongEncryptionKey)) throw error
    return { secret, reason: error.message }
  }
}
