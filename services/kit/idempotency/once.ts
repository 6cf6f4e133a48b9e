import type { Tx } from '../db/client.ts'
import { JsonText } from '../db/json-text.ts'
import { refuse } from '../errors/refusal.ts'
import type { SecretBox } from '../secrets/box.ts'
import { deleteKey, findKey, insertKey, KEPT_MS, tryLockKey } from './queries.ts'

export interface OnceRequest {
  userId: string
  operation: string
  /** The `Idempotency-Key`; without one the work is simply done. */
  key: string | undefined
  body: unknown
  /** Seals the answer while it is kept: one that hands out a secret is in no row as it was sent. */
  box?: SecretBox
}

/**
 * Does the work once for a key: a repeat with the same body gets the first answer again, one with another body, or one
 * whose twin still runs, gets 409. The answer is kept in the transaction of the work, so only a success is kept.
 */
export async function once<T extends object>(
  tx: Tx,
  { userId, operation, key, body, box }: OnceRequest,
  now: string,
  work: () => Promise<T>,
): Promise<T | JsonText> {
  if (key === undefined) return work()
  const named = { userId, operation, key }
  const requestHash = new Bun.CryptoHasher('sha256').update(JSON.stringify(body)).digest()
  const [lock] = await tryLockKey(tx, named)
  if (!lock?.locked) {
    throw refuse('idempotency_conflict', { detail: 'A request with this Idempotency-Key is still running.' })
  }
  const [kept] = await findKey(tx, named, new Date(Date.parse(now) - KEPT_MS).toISOString())
  if (kept) {
    if (Buffer.compare(kept.request_hash, requestHash) !== 0) {
      throw refuse('idempotency_conflict', { detail: 'This Idempotency-Key was used with another body.' })
    }
    return new JsonText(box ? await unsealed(box, kept.response) : kept.response)
  }
  const answer = await work()
  const text = JSON.stringify(answer)
  await deleteKey(tx, named)
  await insertKey(tx, named, { requestHash, response: box ? await box.encrypt(text) : text }, now)
  return answer
}

/** The key that sealed it may have been taken away since: then the work is known to be done, but not its answer. */
const unsealed = (box: SecretBox, response: string) =>
  box.decrypt(response).catch(() => {
    throw refuse('idempotency_conflict', { detail: 'This was done before, and its answer cannot be given again.' })
  })
