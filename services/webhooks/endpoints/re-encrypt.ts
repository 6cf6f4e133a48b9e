import type { Pool } from '../../kit/db/client.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { listSecrets, replaceSecrets } from './queries.ts'

const BATCH_SIZE = 500

/** Re-encrypts the secrets of all endpoints with the current key. Older keys can then be removed from ENCRYPTION_KEYS. */
export async function reencryptEndpoints(sql: Pool, box: SecretBox): Promise<{ reencrypted: number }> {
  let reencrypted = 0
  let after = ''
  for (;;) {
    const rows = await listSecrets(sql, after, BATCH_SIZE)
    const last = rows.at(-1)
    if (!last) return { reencrypted }
    after = last.id
    for (const before of rows) {
      const { secret, previous_secret: previous } = before
      if (box.isCurrent(secret) && (previous === null || box.isCurrent(previous))) continue
      const encrypted = await Promise.all(
        [secret, previous].map(async (one) => one && box.encrypt(await box.decrypt(one))),
      )
      // A secret that was rotated meanwhile is encrypted with the current key already.
      const { count } = await replaceSecrets(sql, before, {
        secret: encrypted[0] as string,
        previous: encrypted[1] ?? null,
      })
      reencrypted += count
    }
  }
}
