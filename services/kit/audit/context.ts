import type { Procedure } from '../../../proto/procedures.ts'
import type { Tx } from '../db/client.ts'

/** The content of a command's audit entry, for success and refusal alike. */
export interface AuditContext {
  procedure: Procedure | undefined
  orgId?: string | undefined
  actorId?: string | undefined
  grantId?: string | undefined
  ipAddress?: string | undefined
  userAgent?: string | undefined
  /** The fields of the validated input that the contract allows in the log. */
  request?: Record<string, unknown> | undefined
}

/** A context with further fields of the request. */
export const withRequestFields = (context: AuditContext, fields: Record<string, unknown>): AuditContext => ({
  ...context,
  request: { ...context.request, ...fields },
})

/** Records an act of the operator's command line as an impersonation of a user. Returns the id of the grant. */
export type Impersonate = (tx: Tx, user: { orgId: string; userId: string }, now: string) => Promise<string>
