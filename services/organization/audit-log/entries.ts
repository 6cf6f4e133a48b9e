import type { AuditLogEntry, AuditLogEntryDetail } from '../../../proto/http/organization/audit-log.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { ERASED } from '../users/rules.ts'
import type { EntryDetailRow, EntryRow } from './queries.ts'

/** An entry as the API shows it in lists. */
export function entryOf(row: EntryRow): AuditLogEntry {
  const { id, timestamp, procedure, success, error, ipAddress } = row
  const entry = withoutNulls({ id, timestamp, procedure, success, error, ipAddress })
  return { ...entry, actor: actorOf(row), ...impersonationOf(row) }
}

export function entryDetailOf(row: EntryDetailRow): AuditLogEntryDetail {
  const { userAgent, request, redeemedTime, redeemedIp, expireTime, revokedTime } = row
  const impersonationDetail = withoutNulls({ redeemedTime, redeemedIp, expireTime, revokedTime })
  return {
    ...entryOf(row),
    ...withoutNulls({ userAgent, request }),
    ...(row.grant_id === null ? {} : { impersonationDetail }),
  }
}

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
