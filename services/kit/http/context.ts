import type { FieldError } from '../../../proto/errors.ts'
import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '../../../proto/http/operation.ts'
import type { AuditContext } from '../audit/context.ts'
import type { Caller } from '../auth/caller.ts'
import type { JsonText } from '../db/json-text.ts'
import type { Raw } from './raw.ts'
import type { Streamed } from './stream.ts'

/** What the handler of a public operation receives. Every check of the operation has passed. */
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

/** What the handler of an operation with a token receives. */
export interface CallerContext<O> extends PublicContext<O> {
  caller: Caller
  /** Checks token and permission again, and throws 401 or 403. Long work calls it, because the session may be revoked meanwhile. */
  recheck(): Promise<void>
}

/** Problems of a body that its schema cannot express and that depend on nothing else: 400 before 403. */
export type BodyRule<Body> = (body: Body) => FieldError[]

export type Answer<O> = ResponseOf<O> | JsonText | Raw | Streamed | undefined
export type Handler<O> = (context: CallerContext<O>) => Answer<O> | Promise<Answer<O>>
export type PublicHandler<O> = (context: PublicContext<O>) => Answer<O> | Promise<Answer<O>>
