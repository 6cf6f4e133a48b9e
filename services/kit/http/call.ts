import type { FieldError } from '../../../proto/errors.ts'
import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '../../../proto/http/operation.ts'
import type { AuditContext } from '../audit/context.ts'
import type { Caller } from '../auth/caller.ts'
import type { JsonText } from '../db/json-text.ts'
import type { Raw } from './raw.ts'
import type { Streamed } from './stream.ts'

/** What every request has, before anybody knows who sends it. */
export interface Exchange {
  request: Request
  requestId: string
  /** The address of the client, behind as many proxies as are configured to be trusted. Found out when it is asked for. */
  readonly clientIp: string | undefined
}

/** A request that passed every check of its operation. */
export interface OpenCall<O> {
  request: Request
  requestId: string
  query: QueryOf<O>
  params: ParamsOf<O>
  body: BodyOf<O>
  /** Who asks for what, for the audit log: the caller is added where there is one. */
  audit: AuditContext
  /** The `Idempotency-Key`, where the operation takes one and the client sent one. */
  idempotencyKey: string | undefined
  /** The entity tags of `If-Match`, where the operation honours it and the client sent it. */
  ifMatch: string | undefined
}

export interface Call<O> extends OpenCall<O> {
  caller: Caller
  /** Throws when the caller may not do this any more: for what takes longer than a revocation may. */
  recheck(): Promise<void>
}

/** What is wrong with a body whatever is stored and whoever asks, beyond what its schema can say: pure, and 400 before 403. */
export type ProblemsOf<Body> = (body: Body) => FieldError[]

export type Answer<O> = ResponseOf<O> | JsonText | Raw | Streamed | undefined
export type Handler<O> = (call: Call<O>) => Answer<O> | Promise<Answer<O>>
export type OpenHandler<O> = (call: OpenCall<O>) => Answer<O> | Promise<Answer<O>>
