import { reencryptSecrets, revokeSigningKey, rotateSigningKey } from '../../services/identity/keys/commands.ts'
import { connect } from '../../services/kit/db/client.ts'
import { isRefusalOf } from '../../services/kit/errors/refusal.ts'
import { createSecretBox } from '../../services/kit/secrets/box.ts'
import { reencryptImports } from '../../services/sourcing/jobs/re-encrypt.ts'
import { Refusal } from '../toolchain/refusal.ts'
import { operatorEnvironment } from './environment.ts'

export const KEYS_USAGE = 'keys rotate | keys revoke <kid> | keys reencrypt'

/** Rotates the key that signs tokens, revokes a stolen one, or re-encrypts every stored secret with the first of ENCRYPTION_KEYS. */
export async function keys([verb = '', kid]: string[]): Promise<void> {
  const { databaseUrl, encryptionKeys, accessTokenSeconds } = await operatorEnvironment()
  if (!['rotate', 'revoke', 'reencrypt'].includes(verb) || (verb === 'revoke') !== (kid !== undefined))
    throw new Refusal(KEYS_USAGE)
  if (encryptionKeys === '') throw new Refusal('Set ENCRYPTION_KEYS to the value that the services have.')
  const box = await createSecretBox(encryptionKeys)
  const sql = connect(databaseUrl, { max: 1, applicationName: 'operator', searchPath: 'identity' })
  try {
    if (verb === 'rotate') {
      const { kid, signsFrom } = await rotateSigningKey(sql, box, { accessTokenSeconds, now: new Date().toISOString() })
      console.log(`The key ${kid} is published; it signs tokens from ${signsFrom}.`)
    } else if (kid !== undefined) {
      const options = { kid, accessTokenSeconds, now: new Date().toISOString() }
      const { successor } = await revokeSigningKey(sql, box, options).catch((error) => {
        throw isRefusalOf(error, 'not_found') ? new Refusal(`No signing key has the id ${kid}.`) : error
      })
      const next = successor === undefined ? '' : ` ${successor} signs from now on.`
      console.log(`The key ${kid} is revoked; every token that it signed is void.${next}`)
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
