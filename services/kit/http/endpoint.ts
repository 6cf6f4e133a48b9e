import type { TObject, TSchema } from '@sinclair/typebox'
import { NotFoundError } from 'elysia'
import { type BodyOf, MAX_BODY_BYTES, type Operation } from '../../../proto/http/operation.ts'
import { closed, PATH_ID } from '../../../proto/http/shapes.ts'
import { oneOf } from '../../../proto/messages.ts'
import type { Permission } from '../../../proto/permissions.ts'
import type { AuditContext } from '../audit/context.ts'
import { loggedFields } from '../audit/logged-fields.ts'
import { type BeginCommand, beginAuthorized, changesAuthority } from '../auth/authorized.ts'
import type { Caller } from '../auth/caller.ts'
import type { Tx } from '../db/client.ts'
import { invalid, invalidField, notFound, refuse } from '../errors/refusal.ts'
import { bodyChecker, readJson, refuseLongBody, refuseOtherMediaTypes } from './body.ts'
import { networkOf } from './client-address.ts'
import type { BodyRule, Handler, PublicHandler } from './context.ts'
import type { HttpDeps } from './deps.ts'
import { isFormEncoded, readForm } from './form.ts'
import { queryReader } from './query.ts'
import type { RequestState } from './request-state.ts'
import { Responder } from './responder.ts'
import { pathPattern, targetOf } from './target.ts'

const NO_FIELDS = closed({})

export type Params = Record<string, string | undefined> | undefined

/**
 * Serves one operation. A synchronous refusal is thrown and answered by `onError`. Elysia does not see the rejection of a
 * promise that a synchronous handler returns, so the endpoint answers it itself.
 */
export type Endpoint = (state: RequestState, params: Params) => Response | Promise<Response>

/**
 * Checks a request in the same order for both families: token 401, rate limit 429, length 413, media type 415, shape 400 or
 * 422, permission 403, malformed ids in the path 404. The handler checks the rest.
 */
export function endpointOf<O extends Operation<TObject, TObject, TSchema, TSchema>>(
  deps: HttpDeps,
  operation: O,
  handle: Handler<O> | PublicHandler<O>,
  bodyRule: BodyRule<BodyOf<O>> = () => [],
): Endpoint {
  // A link to a page may have got parameters on its way, such as those of a newsletter.
  const readQuery = operation.page ? () => ({}) : queryReader(operation.query ?? NO_FIELDS)
  // An operation without a body refuses the fields of one. The body of a GET is not read.
  const isUnread = operation.method === 'GET' || operation.acceptsBytes
  const schema = operation.body ?? (isUnread ? undefined : NO_FIELDS)
  const checkBody = schema ? bodyChecker(schema) : undefined
  const bodyOptional = operation.bodyOptional || operation.body === undefined
  const paramNames = Object.keys(operation.params?.properties ?? {})
  // The files of pages are looked up by name, which may be longer than an id.
  const idNames = operation.page ? [] : paramNames
  const pattern = operation.path.includes(':') ? pathPattern(operation.path) : undefined
  const isPublic = operation.access === 'public'
  const responder = new Responder(operation, deps)

  const { maxBodyBytes: maxBytes = MAX_BODY_BYTES, deprecatedQuery = {} } = operation
  const deprecated = Object.entries(deprecatedQuery)

  const readBody = async (request: Request, client: string) => {
    refuseLongBody(request, maxBytes)
    const limit = { maxBytes, client, budget: deps.bodies }
    const formSchema = operation.acceptsForm && isFormEncoded(request) ? operation.body : undefined
    if (!formSchema) refuseOtherMediaTypes(request, operation.acceptsForm)
    const value = await (formSchema ? readForm(request, formSchema, limit) : readJson(request, limit))
    if (value === undefined && bodyOptional) return undefined
    const body = checkBody?.(value) as BodyOf<O>
    const problems = bodyRule(body)
    if (problems.length > 0) throw invalid(problems)
    return body
  }

  const authorize = (caller: Caller): Caller => {
    requirePermission(operation.access, caller)
    if (operation.closedToImpersonation) refuseImpersonation(caller)
    return caller
  }

  const lock = operation.audit !== undefined && changesAuthority(operation.audit.procedure)
  const beginFor =
    (request: Request): BeginCommand =>
    async (work) => {
      const claims = await deps.auth.claimsOf(request)
      const sender = async (tx: Tx) => authorize(await deps.auth.callerWithin(tx, claims, { lock }))
      return beginAuthorized(deps.sql, sender, work)
    }

  const checkCaller = (state: RequestState): Caller | undefined | Promise<Caller> =>
    isPublic ? undefined : deps.auth.callerOf(state.request)

  const checkLimitAndBody = (state: RequestState, caller: Caller | undefined) => {
    state.caller = caller
    const client = caller ? caller.orgId : networkOf(state.clientIp)
    state.rateLimit = deps.rateLimit.take(client)
    return checkBody ? readBody(state.request, client) : undefined
  }

  const checkShapeAndRun = (state: RequestState, params: Params, search: string, body: unknown) => {
    const { request, requestId, caller } = state
    const query: Record<string, unknown> = readQuery(search)
    for (const [name, since] of deprecated) if (query[name] !== undefined) state.deprecation = fieldOf(since)
    const idempotencyKey = operation.idempotent ? idempotencyKeyOf(request) : undefined
    const audit = operation.audit ? auditContextOf(operation.audit, state, body, params) : undefined
    state.audit = audit
    if (caller) authorize(caller)
    for (const name of idNames) requireWellFormedId(params?.[name])
    const recheck = async () => void authorize(await deps.auth.callerOf(request))
    const begin = beginFor(request)
    const ifMatch = operation.ifMatch ? (request.headers.get('if-match') ?? undefined) : undefined
    const context = { request, requestId, caller, query, params, body, audit, idempotencyKey, recheck, begin, ifMatch }
    if (!audit || !caller) return handle(context as never)
    return deps.commands.run(caller.orgId, request.signal, async () => handle(context as never))
  }

  return (state, params) => {
    const { path, search } = targetOf(state.request.url)
    if (pattern && !pattern.test(path)) throw new NotFoundError()
    for (const name of paramNames) if (isDotSegment(params?.[name])) throw new NotFoundError()
    state.responder = responder
    // The address is read now, because a closed socket has none.
    if (isPublic || operation.audit) void state.clientIp
    const body = then(checkCaller(state), (caller) => checkLimitAndBody(state, caller))
    const answer = then(body, (value) => checkShapeAndRun(state, params, search, value))
    const response = then(answer, (value) => responder.success(state, value))
    return response instanceof Promise ? response.catch((error) => responder.failure(state, error)) : response
  }
}

/** Continues synchronously unless the value is a promise, so that a read from memory is answered without promises. */
const then = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value)

/** A date as RFC 9745 requires it: a structured field with seconds since 1970. */
const fieldOf = (date: string) => `@${Date.parse(date) / 1000}`

/** Bun's router passes on dot segments as parameters, although they belong to the path's structure. */
const isDotSegment = (value: string | undefined) => value === '.' || value === '..'

function requirePermission(access: Operation['access'], { permissions }: Caller): void {
  if (access === 'public' || access === 'token') return
  const anyOf = typeof access === 'string' ? [access] : access
  if (!anyOf.some((key: Permission) => permissions.has(key))) {
    throw refuse('forbidden', { detail: `This needs the permission ${oneOf(anyOf)}.` })
  }
}

/** An impersonated caller must not gain access that outlives the grant or exceeds it. */
function refuseImpersonation({ act }: Caller): void {
  if (act) throw refuse('forbidden', { detail: 'This is closed while you act under an impersonation grant.' })
}

/** A malformed id is the same 404 as an unknown one. */
function requireWellFormedId(value: string | undefined): void {
  if (typeof value !== 'string' || !PATH_ID.test(value)) throw notFound()
}

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (key.length < 1 || key.length > 255) throw invalidField('Idempotency-Key', 'must have 1 to 255 characters')
  return key
}

function auditContextOf(
  { procedure, request: logged, hostOnly }: NonNullable<Operation['audit']>,
  { request, clientIp, caller }: RequestState,
  body: unknown,
  params: Params,
): AuditContext {
  return {
    procedure,
    orgId: caller?.orgId,
    actorId: caller?.userId,
    grantId: caller?.act?.grantId,
    ipAddress: clientIp,
    userAgent: request.headers.get('user-agent') ?? undefined,
    request: loggedFields({ ...params, ...(body as object | undefined) }, logged, hostOnly),
  }
}
