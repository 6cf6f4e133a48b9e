import type { Sql } from '../../kit/db/client.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { listSecrets, replaceSecret } from './queries.ts'

const BATCH_SIZE = 500

/** Re-encrypts the secrets of all identity providers with the current key, so that older keys can be removed. */
export async function reencryptProviders(sql: Sql, box: SecretBox): Promise<{ reencrypted: number }> {
  let reencrypted = 0
  let after = ''
  for (;;) {
    const rows = await listSecrets(sql, after, BATCH_SIZE)
    const last = rows.at(-1)
    if (!last) return { reencrypted }
    after = last.id
    for (const { id, client_secret: before } of rows) {
      if (box.isCurrent(before)) continue
      const next = await box.encrypt(await box.decrypt(before))
      // No row if the secret was changed meanwhile.
      const { count } = await replaceSecret(sql, id, before, next)
      reencrypted += count
    }
  }
}
