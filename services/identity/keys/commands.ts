import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import type { Pool } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import {
  deleteRetiredKeys,
  findSecret,
  findSigningKey,
  insertSecret,
  insertSigningKey,
  listPrivateKeys,
  listSecrets,
  lockKeys,
  retireOtherKeys,
  updatePrivateKey,
  updateSecret,
} from './queries.ts'

const REFRESH_SECRET = 'refresh'
/** How long a key is published before it signs: verifiers that cache the set know it by then. */
const PUBLISHED_AHEAD_MS = 10 * 60 * 1000

/** Makes the first signing key and the secret of refresh tokens, where there are none yet; answers the secret. */
export function ensureKeys(sql: Pool, box: SecretBox, now: string): Promise<Uint8Array> {
  return sql.begin(async (tx) => {
    await lockKeys(tx)
    const [signing] = await findSigningKey(tx, now)
    if (!signing) await insertSigningKey(tx, { ...(await newSigningKey(box)), signs_from: now }, now)
    const [secret] = await findSecret(tx, REFRESH_SECRET)
    if (secret) return Buffer.from(await box.decrypt(secret.value), 'base64')
    const bytes = crypto.getRandomValues(new Uint8Array(32))
    await insertSecret(tx, REFRESH_SECRET, await box.encrypt(Buffer.from(bytes).toString('base64')))
    return bytes
  })
}

export interface Rotation {
  kid: string
  signsFrom: string
}

/**
 * Publishes a new signing key, which takes over in ten minutes. The older ones stay published until the last token
 * they could have signed has died.
 */
export function rotateSigningKey(
  sql: Pool,
  box: SecretBox,
  { accessTokenSeconds, now }: { accessTokenSeconds: number; now: string },
): Promise<Rotation> {
  return sql.begin(async (tx) => {
    await lockKeys(tx)
    await deleteRetiredKeys(tx, now)
    const signsFromMs = Date.parse(now) + PUBLISHED_AHEAD_MS
    const key = { ...(await newSigningKey(box)), signs_from: new Date(signsFromMs).toISOString() }
    await insertSigningKey(tx, key, now)
    // A minute more than a token's life, for clocks that disagree and signers that had the old key at hand.
    const retiresAt = new Date(signsFromMs + (accessTokenSeconds + 60) * 1000).toISOString()
    await retireOtherKeys(tx, key.kid, retiresAt)
    return { kid: key.kid, signsFrom: key.signs_from }
  })
}

/** Seals every stored secret anew with the key that encrypts now; the older ones may then leave ENCRYPTION_KEYS. */
export function reencryptSecrets(sql: Pool, box: SecretBox): Promise<{ resealed: number }> {
  return sql.begin(async (tx) => {
    await lockKeys(tx)
    let resealed = 0
    for (const { kid, private_key } of await listPrivateKeys(tx)) {
      if (box.isCurrent(private_key)) continue
      await updatePrivateKey(tx, kid, await box.encrypt(await box.decrypt(private_key)))
      resealed++
    }
    for (const { name, value } of await listSecrets(tx)) {
      if (box.isCurrent(value)) continue
      await updateSecret(tx, name, await box.encrypt(await box.decrypt(value)))
      resealed++
    }
    return { resealed }
  })
}

async function newSigningKey(box: SecretBox) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const kid = newId('key')
  return {
    kid,
    public_jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'ES256' },
    private_key: await box.encrypt(await exportPKCS8(privateKey)),
  }
}
