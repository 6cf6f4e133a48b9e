import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { ErrorCode } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { Procedure } from '../procedures.ts'
import type { Transition } from '../states/state-table.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A group of operations in the documentation. */
export interface Tag {
  readonly name: string
  readonly description: string
}

export const defineTag = (name: string, description: string): Tag => ({ name, description })

export const MAX_BODY_BYTES = 1024 * 1024
/** The longest body of the operations of identity, most of which anyone may call. */
export const MAX_IDENTITY_BODY_BYTES = 16 * 1024

/** How a command is recorded in the audit log. */
export interface Audit {
  readonly procedure: Procedure
  /** The input fields to log (nested ones with dots). */
  readonly request: readonly string[]
  /** Logged fields that are secret URLs, of which only the host is logged. */
  readonly hostOnly?: readonly string[]
  /** A read that checks a credential of its own, whose refusal is logged. */
  readonly refusalsOnly?: boolean
  /** A worker writes the entry of a success, because the answer does not depend on the account. */
  readonly isDeferred?: boolean
}

/** The id of a verb of a record, whose name follows the first word: `acceptRfqTerms`. */
export const operationId = (verb: string, name: string): string => {
  const record = name.replaceAll(/(?:^|\.)(.)/g, (_, letter: string) => letter.toUpperCase())
  return verb.replace(/[A-Z]|$/, (next) => `${record}${next}`)
}

/** The contract of one operation of the public API. Routing, validation, the OpenAPI document and the tests use it. */
export interface Operation<
  Query extends TObject = TObject,
  Params extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> {
  /** The `operationId`. */
  readonly id: string
  readonly method: Method
  /** The path in OpenAPI notation: `/v1/parts/{id}`, `/v1/materials:batch-get`. */
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** Required access: none, a valid token, or a permission (one of several). */
  readonly access: 'public' | 'token' | Permission | readonly Permission[]
  readonly query?: Query
  readonly params?: Params
  readonly body?: Body
  /** The request body is optional. */
  readonly bodyOptional?: boolean
  /** The body may have any media type; the handler reads it as bytes. */
  readonly acceptsBytes?: boolean
  /** The body may also be `application/x-www-form-urlencoded`, as OAuth clients send it, or must be. */
  readonly form?: 'accepted' | 'required'
  /** The body may also be `text/csv`; its text counts as the field `csv` of a JSON body. */
  readonly csv?: true
  /** The longest body. Default: `MAX_BODY_BYTES`. */
  readonly maxBodyBytes?: number
  /** Status of a success. Default 200. */
  readonly status?: 200 | 201 | 204
  readonly response?: Response
  readonly responseExample?: unknown
  /** Media type of a success that is not JSON. */
  readonly mediaType?: string
  /** Further statuses that are not errors, with their meaning. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  /** Error codes in addition to those of every operation of its kind. */
  readonly refusals?: readonly ErrorCode[]
  /** Present for a command. */
  readonly audit?: Audit
  /** What the operation does to the state of its record: `x-transition` in the document. */
  readonly transition?: Transition
  /** The state of the record in the answer, where no transition tells it. */
  readonly answersState?: string
  /**
   * Present for a command on users, roles, passwords, sessions, grants or organizations. It is refused (403) during an
   * impersonation, and reads its caller under the organization's lock, so that of two concurrent ones the second sees
   * the first.
   */
  readonly changesAuthority?: boolean
  /** A command whose effect would outlive an impersonation, such as a webhook endpoint: refused (403) during one. */
  readonly outlivesImpersonation?: boolean
  /** With `?dryRun=true` the command changes nothing, so it leaves no audit entry and stores no answer. */
  readonly hasDryRun?: true
  /**
   * A command without `Idempotency-Key`: its body has a password, its answer is a challenge or a start that works once,
   * or a repetition changes nothing.
   */
  readonly noIdempotencyKey?: boolean
  /** Clients authenticate themselves with a key of a service account, by Basic or in the form. */
  readonly client?: 'accepted' | 'required'
  /** The response has an `ETag`, and a GET supports `If-None-Match`. */
  readonly etag?: boolean
  /** Supports `If-Match`. */
  readonly ifMatch?: boolean
  /** The operation can change incompatibly: `x-beta` in the document, `Beta: true` header in responses. */
  readonly beta?: boolean
  readonly deprecated?: boolean
  /** Deprecated query parameters, each with its date. A response to one of them has `Deprecation` (RFC 9745). */
  readonly deprecatedQuery?: Readonly<Record<string, string>>
  /**
   * An operation of SCIM (RFC 7644) with the media type and the headers of SCIM. Only service accounts may call it. It
   * describes itself at `/scim/v2/Schemas` instead of in the OpenAPI document.
   */
  readonly scim?: true
  /** A page, an asset of a page or a redirect to one: served, but no operation of the OpenAPI document. */
  readonly page?: boolean
  /** The response contains a secret: it is not cached by clients, and is encrypted where it is stored for a retry. */
  readonly noStore?: boolean
}

/** An operation that changes something. */
export type CommandOperation<
  Query extends TObject = TObject,
  Params extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> = Operation<Query, Params, Body, Response> & { readonly audit: Audit }

/** Whether an operation supports `Idempotency-Key`: each command of a caller. */
export const takesIdempotencyKey = ({ audit, access, noIdempotencyKey = false }: Operation): boolean =>
  audit !== undefined && access !== 'public' && !noIdempotencyKey

/** A mark in the type of an operation whose body may be absent. */
interface OptionalBody {
  readonly bodyOptional: true
}

/** Checks the form of a contract and keeps its exact schema types. */
export function defineOperation<Q extends TObject, P extends TObject, B extends TSchema, R extends TSchema>(
  operation: CommandOperation<Q, P, B, R> & OptionalBody,
): CommandOperation<Q, P, B, R> & OptionalBody
export function defineOperation<Q extends TObject, P extends TObject, B extends TSchema, R extends TSchema>(
  operation: CommandOperation<Q, P, B, R>,
): CommandOperation<Q, P, B, R>
export function defineOperation<Q extends TObject, P extends TObject, B extends TSchema, R extends TSchema>(
  operation: Operation<Q, P, B, R>,
): Operation<Q, P, B, R>
export function defineOperation<O>(operation: O): O {
  return operation
}

export type QueryOf<O> = O extends Operation<infer Q, TObject, TSchema, TSchema> ? Static<Q> : never
/** The query of a paged list without the page. */
export type FiltersOf<O> = Omit<QueryOf<O>, 'page' | 'pageSize'>
export type ParamsOf<O> = O extends Operation<TObject, infer P, TSchema, TSchema> ? Static<P> : never
/** Undefined for an operation without a body. */
export type BodyOf<O> =
  O extends Operation<TObject, TObject, infer B, TSchema>
    ? TSchema extends B
      ? undefined
      : Static<B> | (O extends OptionalBody ? undefined : never)
    : never
export type ResponseOf<O> = O extends Operation<TObject, TObject, TSchema, infer R> ? Static<R> : never

/** Whether an operation is refused (403) during an impersonation. */
export const isClosedToImpersonations = ({
  changesAuthority,
  outlivesImpersonation,
}: Pick<Operation, 'changesAuthority' | 'outlivesImpersonation'>): boolean =>
  changesAuthority === true || outlivesImpersonation === true
