import type { Sql } from '../../kit/db/client.ts'
import { inBatches } from '../../kit/worker/batches.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const BATCH_ROWS = 1000

/**
 * Deletes expired records, oldest first so that an index finds them: ended sessions with their tokens, old failure
 * counts, used links. Ended sessions and revoked tokens stay longer than the longest lifetime of an access token.
 */
export async function cleanUpIdentity(sql: Sql, now: string, signal: AbortSignal): Promise<void> {
  const before = (ms: number) => new Date(Date.parse(now) - ms).toISOString()
  const removals: ((limit: number) => PromiseLike<{ count: number }>)[] = [
    (limit) => sql`
      delete from identity.sessions where id = any(array(
        select id from identity.sessions where expires_at < ${before(DAY_MS)}
        order by expires_at limit ${limit} for update skip locked))`,
    (limit) => sql`
      delete from identity.sessions where id = any(array(
        select id from identity.sessions where ended_at < ${before(DAY_MS)}
        order by ended_at limit ${limit} for update skip locked))`,
    (limit) => sql`
      delete from identity.throttles where key = any(array(
        select key from identity.throttles where window_started_at < ${before(DAY_MS)}
        order by window_started_at limit ${limit} for update skip locked))`,
    (limit) => sql`
      delete from identity.sign_in_failures where id = any(array(
        select id from identity.sign_in_failures where failed_at < ${before(DAY_MS)}
        order by failed_at limit ${limit} for update skip locked))`,
    (limit) => sql`
      delete from identity.redeemed_activations where token_hash = any(array(
        select token_hash from identity.redeemed_activations where redeemed_at < ${before(30 * DAY_MS)}
        order by redeemed_at limit ${limit} for update skip locked))`,
    (limit) => sql`
      delete from identity.revoked_tokens where token_id = any(array(
        select token_id from identity.revoked_tokens where revoked_at < ${before(DAY_MS)}
        order by revoked_at limit ${limit} for update skip locked))`,
    (limit) => sql`
      delete from identity.key_uses where key_id = any(array(
        select key_id from identity.key_uses where last_used_at < ${before(365 * DAY_MS)}
        order by last_used_at limit ${limit} for update skip locked))`,
  ]
  for (const remove of removals) await inBatches({ limit: BATCH_ROWS, signal }, remove)
}
