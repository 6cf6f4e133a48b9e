import type { SecretBox } from './box.ts'

const BATCH_SIZE = 500

/** How the secrets of one table are read and written. */
interface SecretTable<Row extends { id: string }> {
  /** The next rows after an id, by id. */
  list: (after: string, limit: number) => Promise<readonly Row[]>
  secretsOf: (row: Row) => readonly string[]
  /** Writes the secrets of a row in the order of `secretsOf`; `count` is 0 if they have changed since it was read. */
  replace: (row: Row, secrets: string[]) => Promise<{ count: number }>
}

/** Re-encrypts the secrets of a table with the current key, so that older keys can be removed. */
export async function reencryptTable<Row extends { id: string }>(
  box: SecretBox,
  { list, secretsOf, replace }: SecretTable<Row>,
): Promise<{ reencrypted: number }> {
  let reencrypted = 0
  let after = ''
  for (;;) {
    const rows = await list(after, BATCH_SIZE)
    const last = rows.at(-1)
    if (!last) return { reencrypted }
    after = last.id
    for (const row of rows) {
      const stored = secretsOf(row)
      if (stored.every((one) => box.isCurrent(one))) continue
      const next = await Promise.all(stored.map(async (one) => box.encrypt(await box.decrypt(one))))
      // A row that has ended, or whose secret has changed meanwhile, has none of an older key.
      const { count } = await replace(row, next)
      reencrypted += count
    }
  }
}
