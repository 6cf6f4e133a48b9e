import type { FieldError } from '../../../proto/errors.ts'
import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '../../../proto/http/operation.ts'
import type { AuditContext } from '../audit/context.ts'
import type { BeginCommand } from '../auth/authorized.ts'
import type { Caller } from '../auth/caller.ts'
import type { JsonText } from '../db/json-text.ts'
import type { Raw } from './raw.ts'
import type { Streamed } from './stream.ts'

/** The argument of the handler of a public operation. All checks of the operation have passed. */
interface PublicContext<O> {
  request: Request
  requestId: string
  query: QueryOf<O>
  params: ParamsOf<O>
  body: BodyOf<O>
  audit: AuditContext
  /** The `Idempotency-Key`, where the operation takes one and the client sent one. */
  idempotencyKey: string | undefined
  /** The entity tags of `If-Match`, where the operation honours it and the client sent it. */
  ifMatch: string | undefined
}

/** The argument of the handler of an operation that needs a token. */
export interface CallerContext<O> extends PublicContext<O> {
  /** The caller when the headers arrived. A command decides by the caller that `begin` passes to its work. */
  caller: Caller
  /** Begins the transaction of a command. Token, active user and permission are checked again in it. */
  begin: BeginCommand
  /** Checks token and permission again, and throws 401 or 403. Long work calls it, because the session may be revoked meanwhile. */
  recheck(): Promise<void>
}

/** Returns problems of a body that its schema cannot express. It depends on the body alone, so it is checked with the schema, before the permission. */
export type BodyRule<Body> = (body: Body) => FieldError[]

export type Answer<O> = ResponseOf<O> | JsonText | Raw | Streamed | undefined
export type Handler<O> = (context: CallerContext<O>) => Answer<O> | Promise<Answer<O>>
export type PublicHandler<O> = (context: PublicContext<O>) => Answer<O> | Promise<Answer<O>>
