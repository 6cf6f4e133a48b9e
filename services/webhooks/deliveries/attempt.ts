import { type AddressGuard, AddressRefused, Unreachable } from '../../kit/addresses/guard.ts'
import { readAtMost } from '../../kit/addresses/read-body.ts'
import { VERSION } from '../../kit/config/version.ts'
import type { ClaimedDelivery } from './queries.ts'
import { type Answer, retryAfterMs } from './rules.ts'
import { signatureOf } from './signature.ts'

/** Covers the whole exchange, the body of the response included. */
const TIMEOUT_MS = 15_000
const MAX_READ_BYTES = 64 * 1024
const MAX_KEPT_BYTES = 4 * 1024

export interface AttemptResult extends Answer {
  error: string | null
  /** The first 4 KiB of the response. */
  response: string | null
}

/** The result of an attempt for which the endpoint's secret could not be decrypted. */
export const UNSIGNED: AttemptResult = {
  status: null,
  error: "The delivery could not be signed: the marketplace cannot decrypt the endpoint's secret. Rotating it helps.",
  response: null,
}

interface AttemptDeps {
  guard: AddressGuard
  clock: () => number
}

/** Sends a delivery once, signed with each secret that is valid now. It never throws. */
export async function attemptDelivery(
  { guard, clock }: AttemptDeps,
  { event_id: id, attempt, url, body }: ClaimedDelivery,
  secrets: readonly string[],
): Promise<AttemptResult> {
  const timestamp = Math.floor(clock() / 1000)
  try {
    const response = await guard.send({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `marketplace-webhooks/${VERSION}`,
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': secrets.map((secret) => signatureOf(secret, { id, timestamp, body })).join(' '),
        'webhook-attempt': String(attempt),
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { bytes } = await readAtMost(response, MAX_READ_BYTES)
    return {
      status: response.status,
      retryAfterMs: retryAfterMs(response.headers.get('retry-after'), clock()),
      error: null,
      response: textOf(bytes),
    }
  } catch (error) {
    return { status: null, error: reasonOf(error), response: null }
  }
}

/** The kept text, without NUL because Postgres cannot store it. */
const textOf = (bytes: Uint8Array) =>
  new TextDecoder().decode(bytes.subarray(0, MAX_KEPT_BYTES)).replaceAll('\0', '\uFFFD')

function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) return `The URL ${error.message}.`
  if (error instanceof Unreachable) return `There was no response: ${error.message}.`
  const { name } = error as { name?: unknown }
  if (name === 'TimeoutError') return 'The receiver took longer than 15 seconds.'
  return 'The connection ended before the response was complete.'
}
