import type { Sql } from '../../../kit/db/client.ts'
import type { SecretBox } from '../../../kit/secrets/box.ts'
import { reencryptTable } from '../../../kit/secrets/re-encrypt.ts'
import { listEncryptedUrls, replaceEncryptedUrl } from './queries.ts'

/** Re-encrypts the URLs of pending imports. */
export const reencryptImports = (sql: Sql, box: SecretBox) =>
  reencryptTable(box, {
    list: (after, limit) => listEncryptedUrls(sql, after, limit),
    secretsOf: ({ encrypted_url: url }) => [url],
    replace: ({ id, encrypted_url: before }, [next = '']) => replaceEncryptedUrl(sql, id, before, next),
  })
