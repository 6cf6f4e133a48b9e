import { reencryptSecrets, rotateSigningKey } from '../../services/identity/keys/commands.ts'
import { connect } from '../../services/kit/db/client.ts'
import { createSecretBox } from '../../services/kit/secrets/box.ts'
import { reencryptImports } from '../../services/sourcing/jobs/re-encrypt.ts'
import { Refusal } from '../toolchain/refusal.ts'
import { operatorEnvironment } from './environment.ts'

export const KEYS_USAGE = 'keys rotate | keys reencrypt'

/** Rotates the key that signs tokens, or re-encrypts every stored secret with the first of ENCRYPTION_KEYS. */
export async function keys([verb]: string[]): Promise<void> {
  const { databaseUrl, encryptionKeys, accessTokenSeconds } = await operatorEnvironment()
  if (verb !== 'rotate' && verb !== 'reencrypt') throw new Refusal(KEYS_USAGE)
  if (encryptionKeys === '') throw new Refusal('Set ENCRYPTION_KEYS to the value that the services have.')
  const box = await createSecretBox(encryptionKeys)
  const sql = connect(databaseUrl, { max: 1, applicationName: 'operator', searchPath: 'identity' })
  try {
    if (verb === 'rotate') {
      const { kid, signsFrom } = await rotateSigningKey(sql, box, { accessTokenSeconds, now: new Date().toISOString() })
      console.log(`The key ${kid} is published; it signs tokens from ${signsFrom}.`)
    } else {
      const [keys, imports] = [await reencryptSecrets(sql, box), await reencryptImports(sql, box)]
      console.log(
        `${keys.reencrypted + imports.reencrypted} secrets were re-encrypted; remove the older keys from ENCRYPTION_KEYS a day later, when the signed URLs have expired.`,
      )
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}
