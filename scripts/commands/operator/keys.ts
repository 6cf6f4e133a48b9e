import { reencryptSecrets, revokeSigningKey, rotateSigningKey } from '../../../services/identity/keys/commands.ts'
import type { Pool } from '../../../services/kit/db/client.ts'
import { isRefusalOf } from '../../../services/kit/errors/refusal.ts'
import { createSecretBox, type SecretBox } from '../../../services/kit/secrets/box.ts'
import { reencryptProviders } from '../../../services/organization/identity-providers/re-encrypt.ts'
import { reencryptImports } from '../../../services/sourcing/files/jobs/re-encrypt.ts'
import { reencryptEndpoints } from '../../../services/webhooks/endpoints/re-encrypt.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { withDatabase } from './database.ts'
import { operatorEnvironment } from './environment.ts'

/** Publishes a new key, which signs tokens when every service knows it. */
export const rotateKey = () =>
  withKeys(async (sql, box) => {
    const { kid, signsFrom } = await rotateSigningKey(sql, box, new Date().toISOString())
    console.log(`The key ${kid} is published; it signs tokens from ${signsFrom}.`)
  })

/** Ends a stolen key; every token that it signed is void. */
export const revokeKey = (kid: string) =>
  withKeys(async (sql, box) => {
    const options = { kid, now: new Date().toISOString() }
    const { successor } = await revokeSigningKey(sql, box, options).catch((error) => {
      throw isRefusalOf(error, 'not_found') ? new CommandError(`No signing key has the id ${kid}.`) : error
    })
    const next = successor === undefined ? '' : ` The key ${successor.kid} signs tokens from ${successor.signsFrom}.`
    console.log(`The key ${kid} is revoked; every token that it signed is void.${next}`)
  })

/** Records that are named; the others are counted. */
const MAX_LISTED = 50

/** Encrypts every stored secret with the first of ENCRYPTION_KEYS. */
export const reencryptKeys = () =>
  withKeys(async (sql, box) => {
    const { databaseUrlOf } = await operatorEnvironment()
    const ofWebhooks = { databaseUrl: databaseUrlOf('webhooks'), searchPath: 'webhooks' }
    const done = [
      await reencryptSecrets(sql, box),
      await reencryptImports(sql, box),
      await reencryptProviders(sql, box),
      await withDatabase(ofWebhooks, (webhooks) => reencryptEndpoints(webhooks, box, new Date().toISOString())),
    ]
    const failed = done.flatMap((one) => one.failed)
    const total = done.reduce((sum, { reencrypted }) => sum + reencrypted, 0)
    if (failed.length > 0) {
      const listed = failed.slice(0, MAX_LISTED).map(({ id, reason }) => `${id}: ${reason}`)
      const more = failed.length > MAX_LISTED ? [`And ${failed.length - MAX_LISTED} more.`] : []
      const summary = `${total} secrets were re-encrypted, and those of ${failed.length} records were not; keep the older keys.`
      throw new CommandError([summary, ...listed, ...more].join('\n'))
    }
    console.log(
      `${total} secrets were re-encrypted; remove the older keys from ENCRYPTION_KEYS a day later, when the signed URLs have expired.`,
    )
  })

async function withKeys(work: (sql: Pool, box: SecretBox) => Promise<void>): Promise<void> {
  const { databaseUrl, encryptionKeys } = await operatorEnvironment()
  const keys = encryptionKeys()
  if (keys === '') throw new CommandError('Set ENCRYPTION_KEYS to the value that the services have.')
  const box = await createSecretBox(keys)
  await withDatabase({ databaseUrl, searchPath: 'identity' }, (sql) => work(sql, box))
}
