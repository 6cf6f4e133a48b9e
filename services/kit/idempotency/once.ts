import type { Tx } from '../db/client.ts'
import { JsonText } from '../http/json.ts'
import { refuse } from '../http/refusal.ts'
import { deleteKey, findKey, insertKey, KEPT_MS, tryLockKey } from './queries.ts'

export interface OnceRequest {
  userId: string
  operation: string
  /** The `Idempotency-Key`; without one the work is simply done. */
  key: string | undefined
  body: unknown
}

/**
 * Does the work once for a key: a repeat with the same body gets the first answer again, one with another body, or one
 * whose twin still runs, gets 409. The answer is kept in the transaction of the work, so only a success is kept.
 */
export async function once<T extends object>(
  tx: Tx,
  { userId, operation, key, body }: OnceRequest,
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
    if (Buffer.compare(kept.request_hash, requestHash) === 0) return new JsonText(kept.response)
    throw refuse('idempotency_conflict', { detail: 'This Idempotency-Key was used with another body.' })
  }
  const answer = await work()
  await deleteKey(tx, named)
  await insertKey(tx, named, { requestHash, response: JSON.stringify(answer) }, now)
  return answer
}
