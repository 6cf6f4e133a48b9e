import type { Pool } from '../../kit/db/client.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { type Reencryption, reencryptTable } from '../../kit/secrets/re-encrypt.ts'
import { dropExpiredSecrets, listSecrets, replaceSecrets } from './queries.ts'

/** Re-encrypts the present and previous secrets of all endpoints, and drops those that no longer sign. */
export async function reencryptEndpoints(sql: Pool, box: SecretBox, now: string): Promise<Reencryption> {
  await dropExpiredSecrets(sql, now)
  return reencryptTable(box, {
    list: (after, limit) => listSecrets(sql, after, limit),
    secretsOf: ({ secret, previous_secrets: previous }) => [secret, ...previous],
    replace: (before, [secret = '', ...previous]) => replaceSecrets(sql, before, { secret, previous }),
  })
}
