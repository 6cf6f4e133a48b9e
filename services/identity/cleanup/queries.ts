import type { Sql } from '../../kit/db/client.ts'
import { deleteExpired } from '../../kit/worker/expired.ts'

/** Ended sessions and revoked tokens stay longer than the longest lifetime of an access token. */
const EXPIRED = [
  { table: 'identity.sessions', key: 'id', time: 'expires_at', keptDays: 1 },
  { table: 'identity.sessions', key: 'id', time: 'ended_at', keptDays: 1 },
  { table: 'identity.throttles', key: 'key', time: 'window_started_at', keptDays: 1 },
  { table: 'identity.sign_in_failures', key: 'id', time: 'failed_at', keptDays: 1 },
  { table: 'identity.redeemed_activations', key: 'token_hash', time: 'redeemed_at', keptDays: 30 },
  { table: 'identity.redeemed_sso_codes', key: 'code_hash', time: 'redeemed_at', keptDays: 1 },
  { table: 'identity.passkey_challenges', key: 'challenge_hash', time: 'expires_at', keptDays: 0 },
  { table: 'identity.revoked_tokens', key: 'token_id', time: 'revoked_at', keptDays: 1 },
  { table: 'identity.key_uses', key: 'key_id', time: 'last_used_at', keptDays: 365 },
]

/** Deletes expired records. Sessions are deleted with their tokens. */
export const cleanUpIdentity = (sql: Sql, now: string, signal: AbortSignal) => deleteExpired(sql, EXPIRED, now, signal)
