import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { MINUTE_MS, timeAfter, timeAt } from '../../../proto/durations.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import { MAX_ACCESS_TOKEN_SECONDS } from '../../kit/config/variables.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { type Reencryption, reencryptTable } from '../../kit/secrets/re-encrypt.ts'
import {
  activatePendingKey,
  deleteRetiredKeys,
  deleteSigningKey,
  findSecret,
  findSigningKey,
  insertSecret,
  insertSigningKey,
  listPrivateKeys,
  listSecrets,
  lockKeys,
  retireEarlierKeys,
  updatePrivateKey,
  updateSecret,
} from './queries.ts'

const REFRESH_SECRET = 'refresh'
/** Time for which a key is published before it signs, so that verifiers with a cached set know it. */
const PUBLISHED_AHEAD_MS = 10 * MINUTE_MS
/**
 * Time for which a key is published after another one signs. A token may have been issued under a longer lifetime than
 * the current one; the minute is for clock differences and cached keys.
 */
const PUBLISHED_AFTER_MS = (MAX_ACCESS_TOKEN_SECONDS + 60) * 1000

/** Creates the first signing key and the refresh secret if they do not exist. Returns the secret. */
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

interface RotatedKey {
  kid: string
  signsFrom: string
}

/**
 * Publishes a new signing key, which signs from ten minutes later. Older keys stay published until their last token has
 * expired.
 */
export function rotateSigningKey(sql: Pool, box: SecretBox, now: string): Promise<RotatedKey> {
  return sql.begin(async (tx) => {
    await lockKeys(tx)
    await deleteRetiredKeys(tx, now)
    const signsFrom = timeAfter(now, PUBLISHED_AHEAD_MS)
    const key = { ...(await newSigningKey(box)), signs_from: signsFrom }
    await insertSigningKey(tx, key, now)
    await retireKeysBefore(tx, { kid: key.kid, signsFrom })
    return { kid: key.kid, signsFrom }
  })
}

interface Successor extends RotatedKey {
  /** Keys that sign from then on were to sign until another key, which was revoked. */
  since?: string | undefined
}

/** Retires the keys that sign before another one when their last token has expired. */
function retireKeysBefore(tx: Tx, { kid, signsFrom, since }: Successor) {
  const retiresAt = timeAfter(signsFrom, PUBLISHED_AFTER_MS)
  return retireEarlierKeys(tx, { kid, signsFrom, since, retiresAt })
}

/**
 * Voids a stolen key and every token that it signed, in all services within a second. If it was the signing key, the
 * key that is published already takes over at once, or a new one. If it did not sign yet, another one is published in
 * its place. Throws 404 for an unknown key.
 */
export function revokeSigningKey(
  sql: Pool,
  box: SecretBox,
  { kid, now }: { kid: string; now: string },
): Promise<{ successor: RotatedKey | undefined }> {
  return sql.begin(async (tx) => {
    await lockKeys(tx)
    const [signing] = await findSigningKey(tx, now)
    const { signs_from } = found(await deleteSigningKey(tx, kid))
    await emit(tx, { type: 'identity.key.revoked', tenantId: undefined, subject: kid, data: { kid } })
    const isPending = signs_from > now
    if (signing?.kid !== kid && !isPending) return { successor: undefined }
    const [published] = isPending ? [] : await activatePendingKey(tx, now)
    const signsFromMs = Date.parse(now) + (isPending ? PUBLISHED_AHEAD_MS : 0)
    const successor = { kid: published?.kid ?? '', signsFrom: timeAt(signsFromMs) }
    if (!published) {
      const key = { ...(await newSigningKey(box)), signs_from: successor.signsFrom }
      await insertSigningKey(tx, key, now)
      successor.kid = key.kid
    }
    const since = isPending ? signing?.signs_from : undefined
    await retireKeysBefore(tx, { ...successor, since })
    return { successor }
  })
}

/** Re-encrypts every stored secret with the current key. Older keys can then be removed from ENCRYPTION_KEYS. */
export function reencryptSecrets(sql: Pool, box: SecretBox): Promise<Reencryption> {
  return sql.begin(async (tx) => {
    await lockKeys(tx)
    const keys = await reencryptTable(box, {
      list: (after, limit) => listPrivateKeys(tx, after, limit),
      secretsOf: ({ private_key: key }) => [key],
      replace: ({ id }, [next = '']) => updatePrivateKey(tx, id, next),
    })
    const secrets = await reencryptTable(box, {
      list: (after, limit) => listSecrets(tx, after, limit),
      secretsOf: ({ value }) => [value],
      replace: ({ id }, [next = '']) => updateSecret(tx, id, next),
    })
    return { reencrypted: keys.reencrypted + secrets.reencrypted, failed: [...keys.failed, ...secrets.failed] }
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
