import { ERRORS, type ErrorCode } from '../../../proto/errors.ts'
import type { Procedure } from '../../../proto/procedures.ts'
import type { Sql, Tx } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { storableText } from '../db/storable-text.ts'
import type { AuditContext } from './context.ts'

/** Writes the entry of a successful command in the command's own transaction. */
export const recordSuccess = (tx: Tx, auditContext: AuditContext): Promise<void> =>
  insertEntry(tx, auditContext, undefined)

/** Missing permission, conflict and failed precondition. */
const LOGGED_STATUSES: readonly number[] = [403, 409, 412]
const REFUSED_SIGN_INS: readonly ErrorCode[] = ['invalid_credentials', 'invalid_client']

/** Whether the refusal of a command leaves an entry. That the platform sends no mail says nothing about the actor. */
export const isLogged = (code: ErrorCode) =>
  code !== 'mail_unavailable' && (LOGGED_STATUSES.includes(ERRORS[code].status) || REFUSED_SIGN_INS.includes(code))

/** Writes the entry of a refused command in a separate transaction, so that the rollback cannot erase it. */
export async function recordRefusal(sql: Sql, auditContext: AuditContext, code: ErrorCode): Promise<void> {
  if (isLogged(code)) await insertEntry(sql, auditContext, code)
}

/** A row of the audit log. The database adds its time. */
export interface AuditRow {
  id: string
  org_id: string
  procedure: Procedure
  success: boolean
  error: ErrorCode | null
  ip_address: string | null
  user_agent: string | null
  actor_id: string
  grant_id: string | null
  request: Record<string, unknown> | null
}

/** A command that has no actor, such as a sign-in of an unknown account, leaves no entry. */
export function rowOf(auditContext: AuditContext, error: ErrorCode | undefined): AuditRow | undefined {
  const { procedure, orgId, actorId, grantId = null, ipAddress = null, userAgent, request = null } = auditContext
  if (procedure === undefined || orgId === undefined || actorId === undefined) return undefined
  return {
    id: newId('audit'),
    org_id: orgId,
    procedure,
    success: error === undefined,
    error: error ?? null,
    ip_address: ipAddress,
    user_agent: clipUserAgent(userAgent),
    actor_id: actorId,
    grant_id: grantId,
    request,
  }
}

async function insertEntry(sql: Sql, auditContext: AuditContext, error: ErrorCode | undefined): Promise<void> {
  const row = rowOf(auditContext, error)
  if (row === undefined) return
  await sql`
    insert into organization.audit_log
      (id, org_id, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request)
    values (${row.id}, ${row.org_id}, ${row.procedure}, ${row.success}, ${row.error}, ${row.ip_address},
      ${row.user_agent}, ${row.actor_id}, ${row.grant_id},
      ${row.request === null ? null : JSON.stringify(row.request)}::text::jsonb)`
}

const MAX_USER_AGENT_CHARACTERS = 512

/** A user agent as a column stores it. */
export const clipUserAgent = (userAgent: string | undefined) =>
  userAgent === undefined ? null : storableText(userAgent, MAX_USER_AGENT_CHARACTERS)
