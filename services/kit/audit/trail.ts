import type { Procedure } from '../../../proto/procedures.ts'

/** What the audit log keeps of one command, whether it is done or refused. */
export interface Trail {
  procedure: Procedure | undefined
  orgId: string | undefined
  actorId: string | undefined
  grantId: string | undefined
  ipAddress: string | undefined
  userAgent: string | undefined
  /** The fields of the validated input that the operation declares fit for the log. */
  request: Record<string, unknown> | undefined
}
