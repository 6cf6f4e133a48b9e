import type { Sql } from '../../../kit/db/client.ts'
import type { SecretBox } from '../../../kit/secrets/box.ts'
import { listEncryptedUrls, replaceEncryptedUrl } from './queries.ts'

const BATCH_SIZE = 500

/** Re-encrypts the URLs of pending imports with the current key, in batches and without locks. */
export async function reencryptImports(sql: Sql, box: SecretBox): Promise<{ reencrypted: number }> {
  let reencrypted = 0
  for (let after = ''; ; ) {
    const batch = await listEncryptedUrls(sql, after, BATCH_SIZE)
    for (const { file_id, encrypted_url } of batch) {
      if (box.isCurrent(encrypted_url)) continue
      const next = await box.encrypt(await box.decrypt(encrypted_url))
      // No row if the import has ended meanwhile.
      const [changed] = await replaceEncryptedUrl(sql, file_id, encrypted_url, next)
      if (changed) reencrypted++
    }
    const last = batch.at(-1)
    if (!last || batch.length < BATCH_SIZE) return { reencrypted }
    after = last.file_id
  }
}
