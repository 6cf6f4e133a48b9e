import { type AuditContext, withRequestFields } from './context.ts'

/** The actor of a command that begins without a caller. */
interface Actor {
  userId: string
  orgId: string
  /** The impersonation grant under which the command runs. */
  grantId?: string
}

/** The audit entry of a running command. A command without an actor, such as a failed sign-in, leaves none. */
export class AuditEntry {
  #context: AuditContext

  constructor(context: AuditContext) {
    this.#context = context
  }

  get context(): AuditContext {
    return this.#context
  }

  /** Adds fields that the input does not contain, such as the id of a created record. */
  add(fields: Record<string, unknown>): void {
    this.#context = withRequestFields(this.#context, fields)
  }

  actBy({ userId, orgId, grantId }: Actor): void {
    this.#context = { ...this.#context, actorId: userId, orgId, grantId }
  }
}
