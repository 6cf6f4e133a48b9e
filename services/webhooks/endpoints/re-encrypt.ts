import type { Pool } from '../../kit/db/client.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { listSecrets, replaceSecrets } from './queries.ts'

const BATCH_SIZE = 500

/** Re-encrypts the secrets of all endpoints with the current key, so that older keys can be removed. */
export async function reencryptEndpoints(sql: Pool, box: SecretBox): Promise<{ reencrypted: number }> {
  let reencrypted = 0
  let after = ''
  for (;;) {
    const rows = await listSecrets(sql, after, BATCH_SIZE)
    const last = rows.at(-1)
    if (!last) return { reencrypted }
    after = last.id
    for (const before of rows) {
      const stored = [before.secret, ...before.previous_secrets]
      if (stored.every((one) => box.isCurrent(one))) continue
      const encrypted = stored.map(async (one) => box.encrypt(await box.decrypt(one)))
      const [secret = '', ...previous] = await Promise.all(encrypted)
      // A secret that was rotated meanwhile is encrypted with the current key already.
      const { count } = await replaceSecrets(sql, before, { secret, previous })
      reencrypted += count
    }
  }
}
