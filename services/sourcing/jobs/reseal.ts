import type { Sql } from '../../kit/db/client.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { listSealedUrls, resealUrl } from './queries.ts'

/** Imports come and go while this runs: few at a time, and none is held. */
const AT_A_TIME = 500

/** Seals the addresses of imports that are still to be fetched anew with the key that encrypts now. */
export async function resealImports(sql: Sql, box: SecretBox): Promise<{ resealed: number }> {
  let resealed = 0
  for (let after = ''; ; ) {
    const batch = await listSealedUrls(sql, after, AT_A_TIME)
    for (const { file_id, sealed_url } of batch) {
      if (box.isCurrent(sealed_url)) continue
      // One that has ended meanwhile has no address any more.
      const [changed] = await resealUrl(sql, file_id, sealed_url, await box.encrypt(await box.decrypt(sealed_url)))
      if (changed) resealed++
    }
    const last = batch.at(-1)
    if (!last || batch.length < AT_A_TIME) return { resealed }
    after = last.file_id
  }
}
