import canonicalize from 'canonicalize'
import type { Tx } from '../db/client.ts'
import { JsonText } from '../db/json-text.ts'
import { refuse } from '../errors/refusal.ts'
import type { SecretBox } from '../secrets/box.ts'
import { deleteKey, findKey, insertKey, RETENTION_MS, tryLockKey } from './queries.ts'

interface OnceRequest {
  userId: string
  operation: string
  /** The `Idempotency-Key`. Without one the work runs unconditionally. */
  key: string | undefined
  body: unknown
  /** Encrypts the stored response of an operation that returns a secret. */
  box?: SecretBox
}

/**
 * Runs the work once for a key. A retry with the same body, whatever the order of
 * its keys (RFC 8785), returns the first response. A retry with another body, or while the
 * first request is still running, is 409. The response is stored in the transaction of the work, so only a success is stored.
 */
export async function once<T extends object>(
  tx: Tx,
  { userId, operation, key, body, box }: OnceRequest,
  now: string,
  work: () => Promise<T>,
): Promise<T | JsonText> {
  if (key === undefined) return work()
  const named = { userId, operation, key }
  const requestHash = new Bun.CryptoHasher('sha256').update(canonicalize(body) ?? '').digest()
  const [lock] = await tryLockKey(tx, named)
  if (!lock?.locked) {
    throw refuse('idempotency_conflict', { detail: 'A request with this Idempotency-Key is still running.' })
  }
  const [stored] = await findKey(tx, named, new Date(Date.parse(now) - RETENTION_MS).toISOString())
  if (stored) {
    if (Buffer.compare(stored.request_hash, requestHash) !== 0) {
      throw refuse('idempotency_conflict', { detail: 'This Idempotency-Key was used for another request.' })
    }
    return new JsonText(box ? await decrypted(box, stored.response) : stored.response)
  }
  const answer = await work()
  const text = JSON.stringify(answer)
  await deleteKey(tx, named)
  await insertKey(tx, named, { requestHash, response: box ? await box.encrypt(text) : text }, now)
  return answer
}

/** Throws 409 if the encryption key was removed since: the work is done, but its response cannot be decrypted. */
const decrypted = (box: SecretBox, response: string) =>
  box.decrypt(response).catch(() => {
    throw refuse('idempotency_conflict', { detail: 'This was done before, and its answer cannot be given again.' })
  })
