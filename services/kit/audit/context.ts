import type { Procedure } from '../../../proto/procedures.ts'

/** What the audit log keeps of one command, whether it is done or refused. */
export interface AuditContext {
  procedure: Procedure | undefined
  orgId: string | undefined
  actorId: string | undefined
  grantId: string | undefined
  ipAddress: string | undefined
  userAgent: string | undefined
  /** The fields of the validated input that the operation declares fit for the log. */
  request: Record<string, unknown> | undefined
}

/** Stands for the actor where the platform's operator works from a shell: nobody has signed in there. */
export const OPERATOR = 'operator'

/** What the log of an organization keeps of a command that the operator gave from a shell. */
export const operatorContext = (
  procedure: Procedure,
  orgId: string,
  request: Record<string, unknown>,
): AuditContext => ({
  procedure,
  orgId,
  actorId: OPERATOR,
  grantId: undefined,
  ipAddress: undefined,
  userAgent: undefined,
  request,
})
