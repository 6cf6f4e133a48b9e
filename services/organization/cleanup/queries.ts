import { KEPT_KEYS_DAYS } from '../../../proto/http/organization/service-accounts.ts'
import type { Sql } from '../../kit/db/client.ts'
import { deleteExpired } from '../../kit/worker/expired.ts'

const EXPIRED = [
  { table: 'organization.activations', key: 'token_hash', time: 'expires_at', keptDays: 0 },
  { table: 'organization.email_invitation_links', key: 'token_hash', time: 'expires_at', keptDays: 0 },
  { table: 'organization.service_account_keys', key: 'id', time: 'revoked_at', keptDays: KEPT_KEYS_DAYS },
  { table: 'organization.service_account_keys', key: 'id', time: 'expires_at', keptDays: KEPT_KEYS_DAYS },
  { table: 'organization.sso_flows', key: 'state_hash', time: 'expires_at', keptDays: 0 },
  { table: 'organization.sso_codes', key: 'code_hash', time: 'expires_at', keptDays: 0 },
]

/** Deletes expired links and keys, and sign-ins that were not finished. */
export const cleanUpOrganization = (sql: Sql, now: string, signal: AbortSignal) =>
  deleteExpired(sql, EXPIRED, now, signal)
