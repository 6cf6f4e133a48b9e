import type { ErrorCode } from '../../../proto/errors.ts'
import type { Sql, Tx } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { storableText } from '../db/storable-text.ts'
import type { AuditContext } from './context.ts'

/** Writes the entry of a successful command in the command's own transaction. */
export const recordSuccess = (tx: Tx, audit: AuditContext): Promise<void> => insertEntry(tx, audit, undefined)

/** Refusals that are logged: missing permission, conflict, failed precondition, refused sign-in. */
const LOGGED_REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'forbidden',
  'conflict',
  'illegal_transition',
  'idempotency_conflict',
  'email_taken',
  'in_use',
  'last_administrator',
  'limit_reached',
  'subscription_required',
  'precondition_failed',
  'invalid_credentials',
  'invalid_client',
])

/** Writes the entry of a refused command in a separate transaction, so that the rollback cannot erase it. */
export async function recordRefusal(sql: Sql, audit: AuditContext, code: ErrorCode): Promise<void> {
  if (LOGGED_REFUSALS.has(code)) await insertEntry(sql, audit, code)
}

/** A command that has no actor, such as a sign-in of an unknown account, leaves no entry. */
async function insertEntry(sql: Sql, audit: AuditContext, error: ErrorCode | undefined): Promise<void> {
  const { procedure, orgId, actorId, grantId, ipAddress, userAgent, request } = audit
  if (procedure === undefined || orgId === undefined || actorId === undefined) return
  await sql`
    insert into organization.audit_log
      (id, org_id, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request)
    values (${newId('audit')}, ${orgId}, ${procedure}, ${error === undefined}, ${error ?? null}, ${ipAddress ?? null},
      ${clipUserAgent(userAgent)}, ${actorId}, ${grantId ?? null},
      ${request === undefined ? null : JSON.stringify(request)}::text::jsonb)`
}

const MAX_USER_AGENT_CHARACTERS = 512

/** A user agent as a column stores it. */
export const clipUserAgent = (userAgent: string | undefined) =>
  userAgent === undefined ? null : storableText(userAgent, MAX_USER_AGENT_CHARACTERS)
