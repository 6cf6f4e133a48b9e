import type { AuditContext } from '../audit/context.ts'
import type { AuditEntry } from '../audit/entry.ts'
import type { Caller } from '../auth/caller.ts'
import type { Tx } from '../db/client.ts'

/**
 * The argument of a command of a feature: the checked input that it uses, such as `{ params: { id: string } }`, and
 * what the kit adds. The kit has opened the transaction, and commits it when the command is done.
 */
export type Command<Input extends object = object> = Input & {
  /** The transaction of the state change, its history, audit entry, event and stored response. */
  tx: Tx
  /** The caller as read in the transaction, because body and queue take time. */
  caller: Caller
  /** The time of the command, read after the wait for its permit. */
  now: string
  /** The entry in the audit log, which the kit writes. */
  audit: AuditEntry
}

/** The argument of a step before the transaction. */
export type Preparation<Input extends object = object> = Input & {
  /** The caller when the headers arrived. The transaction reads it again. */
  caller: Caller
  now: string
  audit: AuditContext
  /** Aborts when the client disconnects. */
  signal: AbortSignal
}
