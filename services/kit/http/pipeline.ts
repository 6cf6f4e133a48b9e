import type { TObject, TSchema } from '@sinclair/typebox'
import type { BodyOf, Operation } from '../../../proto/http/operation.ts'
import { closed, PATH_ID } from '../../../proto/http/shapes.ts'
import type { Permission } from '../../../proto/permissions.ts'
import type { AuditContext } from '../audit/context.ts'
import { loggedFields } from '../audit/request.ts'
import type { Caller } from '../auth/caller.ts'
import { invalid, invalidField, notFound, Refusal, refuse } from '../errors/refusal.ts'
import { bodyChecker, readJson, refuseLongBody, refuseOtherMediaTypes } from './body.ts'
import type { Exchange, Handler, OpenHandler, ProblemsOf } from './call.ts'
import { networkOf } from './client-address.ts'
import type { HttpDeps } from './deps.ts'
import { queryReader } from './query.ts'
import { Responder } from './responder.ts'
import { pathPattern, targetOf } from './target.ts'

const NO_FIELDS = closed({})

export type Params = Record<string, string | undefined> | undefined

/** Answers one operation; undefined when the path is not quite the operation's. */
export type Endpoint = (exchange: Exchange, params: Params) => Promise<Response> | Response | undefined

/** A request on its way, and what is known of it so far. */
interface Passage {
  exchange: Exchange
  params: Params
  search: string
  caller: Caller | undefined
  audit: AuditContext | undefined
  rateLimit: string
  startedMs: number
}

/**
 * The one order in which a request is checked, for both families: token 401, request limit 429, length 413, media type 415,
 * shape 400 or 422, permission 403, malformed ids in the path 404; then the handler, which finds out the rest.
 */
export function endpointOf<O extends Operation<TObject, TObject, TSchema, TSchema>>(
  deps: HttpDeps,
  operation: O,
  handle: Handler<O> | OpenHandler<O>,
  problemsOf: ProblemsOf<BodyOf<O>> = () => [],
): Endpoint {
  const readQuery = operation.query ? queryReader(operation.query) : () => ({})
  // An operation that takes no body refuses what one would say; a GET's is not even looked at.
  const isUnread = operation.method === 'GET' || operation.takesBytes
  const schema = operation.body ?? (isUnread ? undefined : NO_FIELDS)
  const checkBody = schema ? bodyChecker(schema) : undefined
  const bodyOptional = operation.bodyOptional || operation.body === undefined
  const paramNames = Object.keys(operation.params?.properties ?? {})
  const pattern = operation.path.includes(':') ? pathPattern(operation.path) : undefined
  const isOpen = operation.access === 'public'
  const respond = new Responder(operation, deps)

  const readBody = async (request: Request) => {
    refuseLongBody(request)
    refuseOtherMediaTypes(request)
    const value = await readJson(request)
    if (value === undefined && bodyOptional) return undefined
    const body = checkBody?.(value) as BodyOf<O>
    const problems = problemsOf(body)
    if (problems.length > 0) throw invalid(problems)
    return body
  }

  const permit = (caller: Caller): void => {
    requirePermission(operation.access, caller)
    if (operation.closedToImpersonation) refuseImpersonation(caller)
  }

  /** A refusal whose entry cannot be written is answered as what went wrong with that. */
  const audited = async (error: unknown, audit: AuditContext | undefined): Promise<unknown> => {
    if (!audit || !(error instanceof Refusal)) return error
    return deps.auditRefusal(audit, error.code).then(
      () => error,
      (failure: unknown) => failure,
    )
  }

  const recognise = ({ exchange }: Passage) => (isOpen ? undefined : deps.auth.callerOf(exchange.request))

  const admit = (passage: Passage, caller: Caller | undefined) => {
    passage.caller = caller
    passage.rateLimit = deps.rateLimit.take(caller ? caller.orgId : networkOf(passage.exchange.clientIp))
    return checkBody ? readBody(passage.exchange.request) : undefined
  }

  const perform = (passage: Passage, body: unknown) => {
    const { exchange, params, search, caller } = passage
    const { request, requestId } = exchange
    const query = readQuery(search)
    const idempotencyKey = operation.idempotent ? idempotencyKeyOf(request) : undefined
    const audit = operation.audit ? contextOf(operation.audit, exchange, caller, body, params) : undefined
    passage.audit = audit
    if (caller) permit(caller)
    for (const name of paramNames) requireWellFormedId(params?.[name])
    const recheck = async () => permit(await deps.auth.callerOf(request))
    const ifMatch = operation.ifMatch ? (request.headers.get('if-match') ?? undefined) : undefined
    const call = { request, requestId, caller, query, params, body, audit, idempotencyKey, recheck, ifMatch }
    if (!audit || !caller) return handle(call as never)
    return deps.commands.run(caller.orgId, request.signal, async () => handle(call as never))
  }

  const refused = async (passage: Passage, error: unknown) =>
    respond.refusal(passage.exchange, await audited(error, passage.audit), passage)

  return (exchange, params) => {
    const { path, search } = targetOf(exchange.request.url)
    if (pattern && !pattern.test(path)) return undefined
    // Now, not when it is first needed: a socket that was closed meanwhile tells no address, and nobody would be counted.
    if (isOpen || operation.audit) void exchange.clientIp
    const startedMs = performance.now()
    const passage = { exchange, params, search, caller: undefined, audit: undefined, rateLimit: '', startedMs }
    try {
      const body = after(recognise(passage), (caller) => admit(passage, caller))
      const answer = after(body, (value) => perform(passage, value))
      const response = after(answer, (value) => respond.success(exchange, value, passage))
      return response instanceof Promise ? response.catch((error) => refused(passage, error)) : response
    } catch (error) {
      return refused(passage, error)
    }
  }
}

/** Goes on at once where nothing has to be waited for: a read out of memory is answered without a single promise. */
const after = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value)

function requirePermission(access: Operation['access'], { permissions }: Caller): void {
  if (access === 'public' || access === 'token') return
  const anyOf = typeof access === 'string' ? [access] : access
  if (!anyOf.some((key: Permission) => permissions.has(key))) {
    throw refuse('forbidden', { detail: `This needs the permission ${anyOf.join(' or ')}.` })
  }
}

/** Whoever acts as somebody else must not be able to outlast the grant, nor to hand out more than it. */
function refuseImpersonation({ act }: Caller): void {
  if (act) throw refuse('forbidden', { detail: 'This is closed while you act under an impersonation grant.' })
}

/** A malformed id names nothing: the same 404 as an unknown one. */
function requireWellFormedId(value: string | undefined): void {
  if (typeof value !== 'string' || !PATH_ID.test(value)) throw notFound()
}

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (key.length < 1 || key.length > 255) throw invalidField('Idempotency-Key', 'must have 1 to 255 characters')
  return key
}

function contextOf(
  audit: NonNullable<Operation['audit']>,
  { request, clientIp }: Exchange,
  caller: Caller | undefined,
  body: unknown,
  params: Params,
): AuditContext {
  return {
    procedure: audit.procedure,
    orgId: caller?.orgId,
    actorId: caller?.userId,
    grantId: caller?.act?.grantId,
    ipAddress: clientIp,
    userAgent: request.headers.get('user-agent') ?? undefined,
    request: loggedFields({ ...params, ...(body as object | undefined) }, audit.request, audit.hostAlone),
  }
}
