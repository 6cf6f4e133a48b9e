import { NotFoundError } from 'elysia'
import { timeAt } from '../../../proto/durations.ts'
import type { FieldError } from '../../../proto/errors.ts'
import { MAX_BODY_BYTES, type Operation, takesIdempotencyKey } from '../../../proto/http/operation.ts'
import { closed, PATH_ID } from '../../../proto/http/shapes.ts'
import type { AuditContext } from '../audit/context.ts'
import { loggedFields } from '../audit/logged-fields.ts'
import { requireAccess } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { invalidField, notFound, requireValid } from '../errors/refusal.ts'
import type { RequestReads } from '../limits/request-reads.ts'
import { bodyChecker, readJson, refuseLongBody, refuseOtherMediaTypes } from './body.ts'
import { networkOf } from './client-address.ts'
import { isCsv, readCsvText } from './csv.ts'
import type { HttpDeps } from './deps.ts'
import { isFormEncoded, readForm } from './form.ts'
import { queryReader } from './query.ts'
import type { RequestState } from './request-state.ts'
import { Responder } from './responder.ts'
import { pathPattern, targetOf } from './target.ts'

const NO_FIELDS = closed({})

type Params = Record<string, string | undefined> | undefined

/** A request that has passed all checks of its operation, before its handler gives it the types of the operation. */
export interface CheckedRequest extends RequestReads {
  request: Request
  requestId: string
  caller: Caller | undefined
  query: Record<string, unknown>
  params: Record<string, string>
  body: unknown
  now: string
  auditContext: AuditContext | undefined
  idempotencyKey: string | undefined
  ifMatch: string | undefined
  recheck(): Promise<void>
}

interface EndpointParts {
  operation: Operation
  handle(checked: CheckedRequest): unknown
  /** Problems of a body that its schema cannot express. */
  checkBody?: ((body: never) => FieldError[]) | undefined
}

/** Serves one operation. The checks run in the same order for every operation of both families. */
export class Endpoint {
  readonly #deps: HttpDeps
  readonly #operation: Operation
  readonly #handle: (checked: CheckedRequest) => unknown
  readonly #responder: Responder
  /** Undefined for an operation whose body is not read. */
  readonly #checkBody: ((value: unknown) => unknown) | undefined
  readonly #readQuery: (search: string) => Record<string, unknown>
  readonly #paramNames: readonly string[]
  readonly #takesIdempotencyKey: boolean
  /** Paths with a verb after a colon: the router takes the verb for a parameter. */
  readonly #pattern: RegExp | undefined

  constructor(deps: HttpDeps, { operation, handle, checkBody }: EndpointParts) {
    this.#deps = deps
    this.#operation = operation
    this.#handle = handle
    this.#responder = new Responder(operation, deps)
    this.#checkBody = bodyCheckOf(operation, checkBody)
    // A page ignores its query, because newsletters and others add parameters to links.
    this.#readQuery = operation.page ? () => ({}) : queryReader(operation.query ?? NO_FIELDS)
    this.#paramNames = Object.keys(operation.params?.properties ?? {})
    this.#takesIdempotencyKey = takesIdempotencyKey(operation)
    this.#pattern = operation.path.includes(':') ? pathPattern(operation.path) : undefined
  }

  /**
   * The response. A read whose token is known is served without a promise. A synchronous refusal is thrown and answered
   * by `onError`; Elysia does not see the rejection of a promise that a synchronous handler returns, so it is answered
   * here.
   */
  serve(state: RequestState, params: Params): Response | Promise<Response> {
    this.#refuseOtherPaths(state, params)
    this.#beginResponse(state)
    const caller = this.#authenticate(state) // 401
    if (caller instanceof Promise || this.#checkBody) return this.#serveLater(state, params, caller)
    this.#limitRate(state, caller) // 429
    return this.#respond(state, this.#checkAndHandle(state, params, undefined))
  }

  async #serveLater(
    state: RequestState,
    params: Params,
    caller: Caller | undefined | Promise<Caller>,
  ): Promise<Response> {
    try {
      this.#limitRate(state, await caller) // 429
      const body = await this.#readBody(state) // 413, 415, 400 or 422
      return this.#responder.success(state, await this.#checkAndHandle(state, params, body))
    } catch (error) {
      return this.#responder.failure(state, error)
    }
  }

  #checkAndHandle(state: RequestState, params: Params, body: unknown): unknown {
    const query = this.#checkQuery(state) // 400 or 422
    const idempotencyKey = this.#takesIdempotencyKey ? idempotencyKeyOf(state.request) : undefined // 400
    state.audit = this.#auditOf(state, params, body)
    this.#authorize(state) // 403
    const ids = this.#checkIds(params) // 404
    return this.#handle(this.#checked(state, { query, params: ids, body, idempotencyKey }))
  }

  #respond(state: RequestState, answer: unknown): Response | Promise<Response> {
    if (!(answer instanceof Promise)) return this.#responder.success(state, answer)
    return answer.then(
      (value) => this.#responder.success(state, value),
      (error) => this.#responder.failure(state, error),
    )
  }

  #refuseOtherPaths({ request }: RequestState, params: Params): void {
    if (this.#pattern && !this.#pattern.test(targetOf(request.url).path)) throw new NotFoundError()
    for (const name of this.#paramNames) if (isDotSegment(params?.[name])) throw new NotFoundError()
  }

  #beginResponse(state: RequestState): void {
    state.responder = this.#responder
    // The address is read now, because a closed socket has none.
    if (this.#operation.access === 'public' || this.#operation.audit) void state.clientIp
  }

  #authenticate({ request }: RequestState): Caller | undefined | Promise<Caller> {
    return this.#operation.access === 'public' ? undefined : this.#deps.auth.callerOf(request)
  }

  #limitRate(state: RequestState, caller: Caller | undefined): void {
    state.caller = caller
    state.rateLimit = this.#deps.rateLimit.take(clientOf(state))
  }

  async #readBody(state: RequestState): Promise<unknown> {
    if (!this.#checkBody) return undefined
    const { request } = state
    const { maxBodyBytes: maxBytes = MAX_BODY_BYTES, form, csv, body, bodyOptional } = this.#operation
    refuseLongBody(request, maxBytes)
    const limit = { maxBytes, client: clientOf(state), budget: this.#deps.bodies }
    const read = () => {
      if (form && body && isFormEncoded(request)) return readForm(request, body, limit)
      if (csv && isCsv(request)) return readCsvText(request, limit)
      refuseOtherMediaTypes(request, this.#operation)
      return readJson(request, limit)
    }
    const value = await read()
    if (value === undefined && (bodyOptional || !body)) return undefined
    return this.#checkBody(value)
  }

  #checkQuery(state: RequestState): Record<string, unknown> {
    const query = this.#readQuery(targetOf(state.request.url).search)
    const { deprecatedQuery } = this.#operation
    if (deprecatedQuery) {
      for (const [name, since] of Object.entries(deprecatedQuery)) {
        if (query[name] !== undefined) state.deprecation = structuredDate(since)
      }
    }
    return query
  }

  #auditOf(state: RequestState, params: Params, body: unknown): AuditContext | undefined {
    const { audit } = this.#operation
    if (!audit) return undefined
    const { request, clientIp, caller } = state
    return {
      procedure: audit.procedure,
      orgId: caller?.orgId,
      actorId: caller?.userId,
      grantId: caller?.act?.grantId,
      ipAddress: clientIp,
      userAgent: request.headers.get('user-agent') ?? undefined,
      request: loggedFields(
        { fields: Object.keys(body ?? {}), ...params, ...(body as object | undefined) },
        audit.request,
        audit.hostOnly,
      ),
    }
  }

  #authorize({ caller }: RequestState): void {
    if (caller) requireAccess(this.#operation, caller)
  }

  /** A malformed id is the same 404 as an unknown one. Names of files of pages may be longer. */
  #checkIds(params: Params): Record<string, string> {
    if (!this.#operation.page) {
      for (const name of this.#paramNames) if (!PATH_ID.test(params?.[name] ?? '')) throw notFound()
    }
    return (params ?? {}) as Record<string, string>
  }

  #checked(
    { request, requestId, caller, audit: auditContext }: RequestState,
    { query, params, body, idempotencyKey }: Pick<CheckedRequest, 'query' | 'params' | 'body' | 'idempotencyKey'>,
  ): CheckedRequest {
    const { auth, clock, reads } = this.#deps
    const operation = this.#operation
    return {
      ...reads.of(request, caller?.orgId ?? '', operation),
      request,
      requestId,
      caller,
      query,
      params,
      body,
      idempotencyKey,
      auditContext,
      ifMatch: operation.ifMatch ? (request.headers.get('if-match') ?? undefined) : undefined,
      get now() {
        return timeAt(clock())
      },
      recheck: async () => requireAccess(operation, await auth.callerOf(request)),
    }
  }
}

/** The client whose rate and bytes are counted. */
const clientOf = (state: RequestState) => state.caller?.orgId ?? networkOf(state.clientIp)

/** An operation that takes no body refuses fields. The body of a GET is not read. */
function bodyCheckOf({ method, acceptsBytes, body }: Operation, problemsOf?: (body: never) => FieldError[]) {
  const schema = body ?? (method === 'GET' || acceptsBytes ? undefined : NO_FIELDS)
  if (!schema) return undefined
  const check = bodyChecker(schema)
  return (value: unknown): unknown => {
    const checked = check(value)
    // The schema of the operation has checked the body, and `problemsOf` takes the type of that schema.
    const problems = problemsOf?.(checked as never) ?? []
    requireValid(problems)
    return checked
  }
}

/** A date as RFC 9745 requires it: a structured field with seconds since 1970. */
const structuredDate = (date: string) => `@${Date.parse(date) / 1000}`

/** Bun's router passes on dot segments as parameters, although they belong to the path's structure. */
const isDotSegment = (value: string | undefined) => value === '.' || value === '..'

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (key.length < 1 || key.length > 255) throw invalidField('Idempotency-Key', 'must have 1 to 255 characters')
  return key
}
