import type { BodyOf, CommandOperation, ParamsOf, QueryOf } from '../../../proto/http/operation.ts'
import type { AuditContext } from '../audit/context.ts'
import type { AuditEntry } from '../audit/entry.ts'
import type { Caller } from '../auth/caller.ts'
import type { Tx } from '../db/client.ts'

/** The input of a command that has passed the checks of its operation. */
interface Input<Params, Body, Query> {
  params: Params
  body: Body
  query: Query
  /** The entity tags of `If-Match`, where the operation honours it and the client sent it. */
  ifMatch: string | undefined
}

/**
 * The argument of a command of a feature: its checked input and what the kit adds. The kit has opened the transaction,
 * and commits it when the command is done.
 */
export interface Command<Params, Body, Query = Record<string, unknown>> extends Input<Params, Body, Query> {
  /** The transaction of the state change, its history, audit entry, event and stored response. */
  tx: Tx
  /** The caller as read in the transaction, because body and queue take time. */
  caller: Caller
  /** The time of the command, read after the wait for its permit. */
  now: string
  /** The entry in the audit log, which the kit writes. */
  audit: AuditEntry
}

/** The argument of the command of an operation, or of one command that serves several. */
export type CommandOf<O extends CommandOperation> = Command<ParamsOf<O>, BodyOf<O>, QueryOf<O>>

/** The argument of a step before the transaction. */
export interface PreparationOf<O extends CommandOperation> extends Input<ParamsOf<O>, BodyOf<O>, QueryOf<O>> {
  /** The caller when the headers arrived. The transaction reads it again. */
  caller: Caller
  now: string
  auditContext: AuditContext
  /** Aborts when the client disconnects. */
  signal: AbortSignal
}

/**
 * The fields of a body, or of any of several, each optional. Without it a field that only one of several bodies has
 * could not be read: of `{ a: string } | { b: number }` it makes `{ a?: string; b?: number }`.
 */
export type FieldsOf<Body> = {
  [Name in Body extends unknown ? keyof Body : never]?: Body extends { [Each in Name]?: infer Value } ? Value : never
}
