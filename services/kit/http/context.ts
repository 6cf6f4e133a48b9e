import type { FieldError } from '../../../proto/errors.ts'
import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '../../../proto/http/operation.ts'
import type { AuditContext } from '../audit/context.ts'
import type { Caller } from '../auth/caller.ts'
import type { JsonText } from '../db/json-text.ts'
import type { RequestReads } from '../limits/request-reads.ts'
import type { Raw } from './raw.ts'
import type { Streamed } from './stream.ts'

/** The argument of the handler of a public operation. All checks of the operation have passed. */
export interface PublicContext<O> extends Pick<RequestReads, 'read'> {
  request: Request
  requestId: string
  query: QueryOf<O>
  params: ParamsOf<O>
  body: BodyOf<O>
  /** The time, read at each use. */
  now: string
  /** What the audit entry of a public command contains; its actor is not known yet. */
  auditContext: AuditContext
}

/** The argument of the handler of a read that needs a token. */
export interface CallerContext<O> extends PublicContext<O>, RequestReads {
  caller: Caller
  /** Throws 401 or 403 if token or permission are no longer valid. Long work calls it at intervals. */
  recheck(): Promise<void>
}

/** Returns problems of a body that its schema cannot express. It is checked with the schema, before the permission. */
export type BodyRule<Body> = (body: Body) => FieldError[]

export type Answer<O> = ResponseOf<O> | JsonText | Raw | Streamed | undefined
export type Handler<O> = (context: CallerContext<O>) => Answer<O> | Promise<Answer<O>>
export type PublicHandler<O> = (context: PublicContext<O>) => Answer<O> | Promise<Answer<O>>
