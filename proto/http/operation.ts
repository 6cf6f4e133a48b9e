import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { ErrorCode } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { Procedure } from '../procedures.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A group of operations in the documentation. */
export interface Tag {
  readonly name: string
  readonly description: string
}

export const defineTag = (name: string, description: string): Tag => ({ name, description })

/**
 * One operation of the public API, without its implementation: the server routes by it and checks by it,
 * the OpenAPI document shows it, and the tests walk it.
 */
export interface Operation<
  Query extends TObject = TObject,
  Params extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> {
  /** The `operationId`. */
  readonly id: string
  readonly method: Method
  /** As OpenAPI writes it: `/v1/parts/{id}`, `/v1/materials:batch-get`. */
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** Who may call: anybody, anybody with a valid token, or the holders of a permission (of one of several). */
  readonly access: 'public' | 'token' | Permission | readonly Permission[]
  readonly query?: Query
  readonly params?: Params
  readonly body?: Body
  /** A request without a body is fine (revoke). */
  readonly bodyOptional?: boolean
  /** The body is bytes of any type, which the handler reads from the request by itself. */
  readonly takesBytes?: boolean
  /** The status of a success. Default 200. */
  readonly status?: 200 | 201 | 204
  readonly response?: Response
  readonly responseExample?: unknown
  /** Success is not JSON: the media type it is (a page, a document). */
  readonly mediaType?: string
  /** What else than its success it may answer without being refused: status and meaning. */
  readonly alsoAnswers?: Readonly<Record<number, string>>
  /** Refusals beyond those that every operation of its kind has. */
  readonly refusals?: readonly ErrorCode[]
  /** A command: what the audit log calls it, and which fields of its input (dots reach inside) are fit to be kept. */
  readonly audit?: {
    readonly procedure: Procedure
    readonly request: readonly string[]
    /** Of those fields, the URLs that open something: the log keeps the host alone. */
    readonly hostAlone?: readonly string[]
  }
  /** Refused (403) while somebody acts under an impersonation grant: commands on users, roles, passwords, sessions, grants. */
  readonly closedToImpersonation?: boolean
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean
  /** Answers one record or a catalog: carries an `ETag`, and a GET honours `If-None-Match`. */
  readonly etag?: boolean
  /** Honours `If-Match`. */
  readonly ifMatch?: boolean
  /** May change incompatibly: `x-beta`, and a `Beta: true` header. */
  readonly beta?: boolean
  readonly deprecated?: boolean
  /** The answer holds a token: `Cache-Control: no-store`. */
  readonly noStore?: boolean
}

/** Any operation, whatever its schemas: for lists of operations. */
export type AnyOperation = Operation

/** Keeps the exact schema types of a contract while checking its form. */
export const defineOperation = <
  Query extends TObject,
  Params extends TObject,
  Body extends TSchema,
  Response extends TSchema,
>(
  operation: Operation<Query, Params, Body, Response>,
): Operation<Query, Params, Body, Response> => operation

export type QueryOf<O> = O extends Operation<infer Q, TObject, TSchema, TSchema> ? Static<Q> : never
export type ParamsOf<O> = O extends Operation<TObject, infer P, TSchema, TSchema> ? Static<P> : never
export type BodyOf<O> = O extends Operation<TObject, TObject, infer B, TSchema> ? Static<B> : never
export type ResponseOf<O> = O extends Operation<TObject, TObject, TSchema, infer R> ? Static<R> : never
