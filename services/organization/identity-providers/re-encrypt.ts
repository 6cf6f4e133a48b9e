import type { Sql } from '../../kit/db/client.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { reencryptTable } from '../../kit/secrets/re-encrypt.ts'
import { listSecrets, replaceSecret } from './queries.ts'

/** Re-encrypts the client secrets of all identity providers. */
export const reencryptProviders = (sql: Sql, box: SecretBox) =>
  reencryptTable(box, {
    list: (after, limit) => listSecrets(sql, after, limit),
    secretsOf: ({ client_secret: secret }) => [secret],
    replace: ({ id, client_secret: before }, [next = '']) => replaceSecret(sql, id, before, next),
  })
