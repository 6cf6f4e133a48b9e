import { DAY_MS } from '../../../proto/durations.ts'
import type { Sql } from '../../kit/db/client.ts'
import { inBatches } from '../../kit/worker/batches.ts'

const BATCH_ROWS = 1000

/** Ended sessions and revoked tokens stay longer than the longest lifetime of an access token. */
const EXPIRED = [
  { table: 'sessions', key: 'id', time: 'expires_at', keptDays: 1 },
  { table: 'sessions', key: 'id', time: 'ended_at', keptDays: 1 },
  { table: 'throttles', key: 'key', time: 'window_started_at', keptDays: 1 },
  { table: 'sign_in_failures', key: 'id', time: 'failed_at', keptDays: 1 },
  { table: 'redeemed_activations', key: 'token_hash', time: 'redeemed_at', keptDays: 30 },
  { table: 'redeemed_sso_codes', key: 'code_hash', time: 'redeemed_at', keptDays: 1 },
  { table: 'passkey_challenges', key: 'challenge_hash', time: 'expires_at', keptDays: 0 },
  { table: 'revoked_tokens', key: 'token_id', time: 'revoked_at', keptDays: 1 },
  { table: 'key_uses', key: 'key_id', time: 'last_used_at', keptDays: 365 },
]

/** Deletes expired records, oldest first so that an index finds them. Sessions are deleted with their tokens. */
export async function cleanUpIdentity(sql: Sql, now: string, signal: AbortSignal): Promise<void> {
  for (const { table, key, time, keptDays } of EXPIRED) {
    const before = new Date(Date.parse(now) - keptDays * DAY_MS).toISOString()
    await inBatches(
      { limit: BATCH_ROWS, signal },
      (limit) => sql`
      delete from identity.${sql(table)} where ${sql(key)} = any(array(
        select ${sql(key)} from identity.${sql(table)} where ${sql(time)} < ${before}
        order by ${sql(time)} limit ${limit} for update skip locked))`,
    )
  }
}
