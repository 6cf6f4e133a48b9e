import type { Pool } from '../../kit/db/client.ts'
import { notFound, refuse } from '../../kit/errors/refusal.ts'
import type { ThrottleKeys } from './keys.ts'
import { countFailure, findBlock } from './queries.ts'

/** Throws 429 while the account at this address or the address has to wait. Unknown accounts are treated the same. */
export async function refuseThrottled(sql: Pool, keys: ThrottleKeys, now: string): Promise<void> {
  const [block] = await findBlock(sql, keys, now)
  if (!block) return
  const seconds = Math.max(1, Math.ceil((Date.parse(block.blocked_until) - Date.parse(now)) / 1000))
  throw refuse('rate_limited', {
    detail: `Too many failures. Try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  })
}

/** Counts a failure, unless the account at this address or the address has to wait: then it throws 429. */
export async function countWrong(sql: Pool, keys: ThrottleKeys, now: string): Promise<void> {
  await refuseThrottled(sql, keys, now)
  await countFailure(sql, keys, now)
}

/**
 * Counts a wrong token of a link and throws its refusal: 404, or 429 while the address has to wait. A right token is
 * redeemed even then, because 256 random bits cannot be guessed and others may share the address.
 */
export async function refuseWrongToken(sql: Pool, keys: ThrottleKeys, now: string): Promise<never> {
  await countWrong(sql, keys, now)
  throw notFound()
}
