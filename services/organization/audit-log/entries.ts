import type { AuditLogEntry, AuditLogEntryDetail } from '../../../proto/http/organization/audit-log.ts'
import { ERASED } from '../users/rules.ts'
import type { EntryDetailRow, EntryRow } from './queries.ts'

/** An entry as the API shows it in lists. */
export const entryOf = (row: EntryRow): AuditLogEntry => ({
  id: row.id,
  timestamp: row.timestamp,
  procedure: row.procedure,
  success: row.success,
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.ip_address === null ? {} : { ipAddress: row.ip_address }),
  actor: actorOf(row),
  ...impersonationOf(row),
})

export const entryDetailOf = (row: EntryDetailRow): AuditLogEntryDetail => ({
  ...entryOf(row),
  ...(row.user_agent === null ? {} : { userAgent: row.user_agent }),
  ...(row.request === null ? {} : { request: row.request }),
  ...(row.grant_id === null ? {} : { impersonationDetail: impersonationDetailOf(row) }),
})

function actorOf({ actor_id, actor_email, actor_given_name, actor_family_name }: EntryRow): AuditLogEntry['actor'] {
  const email = actor_email ?? ERASED
  const name = `${actor_given_name ?? ''} ${actor_family_name ?? ''}`.trim()
  return { id: actor_id, email, ...(email === ERASED || name === '' ? {} : { name }) }
}

function impersonationOf({ grant_id, acting_email, reason, granted_by_email }: EntryRow) {
  if (grant_id === null || acting_email === null || reason === null) return {}
  const resolvable = granted_by_email !== null && granted_by_email !== ERASED
  return {
    impersonation: {
      grantId: grant_id,
      actingEmail: acting_email,
      reason,
      ...(resolvable ? { grantedByEmail: granted_by_email } : {}),
    },
  }
}

const impersonationDetailOf = ({ redeemed_at, redeemed_ip, expires_at, revoked_at }: EntryDetailRow) => ({
  ...(redeemed_at === null ? {} : { redeemedTime: redeemed_at }),
  ...(redeemed_ip === null ? {} : { redeemedIp: redeemed_ip }),
  ...(expires_at === null ? {} : { expireTime: expires_at }),
  ...(revoked_at === null ? {} : { revokedTime: revoked_at }),
})
