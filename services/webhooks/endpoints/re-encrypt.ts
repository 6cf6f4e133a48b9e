import type { Pool } from '../../kit/db/client.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { reencryptTable } from '../../kit/secrets/re-encrypt.ts'
import { listSecrets, replaceSecrets } from './queries.ts'

/** Re-encrypts the present and previous secrets of all endpoints. */
export const reencryptEndpoints = (sql: Pool, box: SecretBox) =>
  reencryptTable(box, {
    list: (after, limit) => listSecrets(sql, after, limit),
    secretsOf: ({ secret, previous_secrets: previous }) => [secret, ...previous],
    replace: (before, [secret = '', ...previous]) => replaceSecrets(sql, before, { secret, previous }),
  })
