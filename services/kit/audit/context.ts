import type { Procedure } from '../../../proto/procedures.ts'

/** The content of a command's audit entry, for success and refusal alike. */
export interface AuditContext {
  procedure: Procedure | undefined
  orgId: string | undefined
  actorId: string | undefined
  grantId: string | undefined
  ipAddress: string | undefined
  userAgent: string | undefined
  /** The fields of the validated input that the contract allows in the log. */
  request: Record<string, unknown> | undefined
}

/** The actor of commands that the platform's operator runs from a shell, without a signed-in user. */
export const OPERATOR = 'operator'

/** The audit context of a command that the platform's operator runs from a shell. */
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
