import canonicalize from 'canonicalize'
import { timeAfter } from '../../../proto/durations.ts'
import type { Tx } from '../db/client.ts'
import { JsonText } from '../db/json-text.ts'
import { refuse } from '../errors/refusal.ts'
import type { SecretBox } from '../secrets/box.ts'
import { hashOf } from '../secrets/tokens.ts'
import { deleteKey, findKey, insertKey, RETENTION_MS, tryLockKey } from './queries.ts'

interface IdempotentRequest {
  userId: string
  /** The operation with its path. The same key may be used for another one. */
  operation: string
  key: string
  body: unknown
  /** Encrypts the stored answer, if it contains a secret. */
  box: SecretBox | undefined
}

/** The stored answer of a command that returns no content. */
const NO_CONTENT = ''

/**
 * Runs the work once for a key. A retry with the same body, whatever the order of its fields (RFC 8785), returns the
 * first answer. A retry with another body, or while the first request is still running, is 409. The answer is stored in
 * the transaction of the work, so only a success is stored.
 */
export async function once<T>(
  tx: Tx,
  request: IdempotentRequest,
  now: string,
  work: () => Promise<T>,
): Promise<T | JsonText | undefined> {
  const stored = await findStoredAnswer(tx, request, now)
  if (stored) return stored.answer
  const answer = await work()
  const text = storable(answer)
  const response = request.box ? await request.box.encrypt(text) : text
  await deleteKey(tx, request)
  await insertKey(tx, request, { requestHash: bodyHashOf(request), response }, now)
  return answer
}

/** The text that is stored of an answer. An instance such as a raw answer would lose its headers and its status. */
function storable(answer: unknown): string {
  if (answer === undefined) return NO_CONTENT
  if (answer instanceof JsonText) return answer.text
  if (Object.getPrototypeOf(answer) !== Object.prototype) throw new Error('only a plain object can be stored for a key')
  return JSON.stringify(answer)
}

/** The answer to an earlier request with the key. Locks the key until the transaction ends. */
export async function findStoredAnswer(
  tx: Tx,
  request: IdempotentRequest,
  now: string,
): Promise<{ answer: JsonText | undefined } | undefined> {
  const [lock] = await tryLockKey(tx, request)
  if (!lock?.locked) {
    throw refuse('idempotency_conflict', { detail: 'A request with this Idempotency-Key is still running.' })
  }
  const [stored] = await findKey(tx, request, timeAfter(now, -RETENTION_MS))
  if (!stored) return undefined
  if (Buffer.compare(stored.request_hash, bodyHashOf(request)) !== 0) {
    throw refuse('idempotency_conflict', { detail: 'This Idempotency-Key was used for another request.' })
  }
  const text = request.box ? await decrypted(request.box, stored.response) : stored.response
  return { answer: text === NO_CONTENT ? undefined : new JsonText(text) }
}

const bodyHashOf = ({ body }: IdempotentRequest) => hashOf(canonicalize(body) ?? '')

/** Throws 409 if the encryption key was removed since: the work is done, but its response cannot be decrypted. */
const decrypted = (box: SecretBox, response: string) =>
  box.decrypt(response).catch(() => {
    throw refuse('idempotency_conflict', {
      detail: "This request already succeeded, but its stored response can't be decrypted.",
    })
  })
