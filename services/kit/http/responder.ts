import type { ErrorCode } from '../../../proto/errors.ts'
import type { Operation } from '../../../proto/http/operation.ts'
import { databaseRefusal } from '../db/failures.ts'
import { JsonText } from '../db/json-text.ts'
import { invalidField, isRefusalOf, Refusal, refuse } from '../errors/refusal.ts'
import { endRequestSpan, inSpan } from '../traces/traces.ts'
import { networkOf } from './client-address.ts'
import type { HttpDeps } from './deps.ts'
import { isTagListed } from './entity-tags.ts'
import {
  type ErrorFormat,
  errorBody,
  errorFormatOf,
  mediaTypeOf,
  oauthDescription,
  oauthErrorOf,
  SCIM_MEDIA_TYPE,
  statusOf,
} from './problem.ts'
import { Raw } from './raw.ts'
import type { ErrorResponder, RequestState } from './request-state.ts'
import { namedInMeta } from './scim.ts'
import { acceptsCoding, Streamed, streamedResponse } from './stream.ts'
import { isOfApi, isPaged, nextPageOf, prefersPage, targetOf } from './target.ts'

/** Writes the responses of one operation: status, headers, body, log line and metric. */
export class Responder implements ErrorResponder {
  readonly #deps: HttpDeps
  readonly #operation: Operation
  readonly #isPaged: boolean
  readonly #observe: (status: number, seconds: number) => void
  /** Headers of every response. Copying a whole object is faster than setting each field. */
  readonly #callerHeaders: Headers
  readonly #publicHeaders: Headers

  constructor(operation: Operation, deps: HttpDeps) {
    this.#deps = deps
    this.#operation = operation
    this.#isPaged = isPaged(operation)
    this.#observe = deps.metrics.observer(operation.id)
    this.#publicHeaders = new Headers({
      'content-type': operation.mediaType ?? (operation.scim ? SCIM_MEDIA_TYPE : 'application/json'),
      'x-content-type-options': 'nosniff',
      'ratelimit-policy': deps.rateLimit.policy,
      ...(operation.noStore ? { 'cache-control': 'no-store' } : {}),
      // RFC 6749 requires `Pragma` beside `Cache-Control`.
      ...(errorFormatOf(operation.path) === 'oauth' ? { pragma: 'no-cache' } : {}),
      ...(operation.beta ? { beta: 'true' } : {}),
    })
    this.#callerHeaders = new Headers(this.#publicHeaders)
    if (!operation.noStore) {
      this.#callerHeaders.set('cache-control', 'private, no-cache')
      this.#callerHeaders.set('vary', 'Authorization')
    }
  }

  success(state: RequestState, answer: unknown): Response {
    if (this.#isPaged && (answer as { hasMore: boolean }).hasMore) state.link = nextPageOf(state)
    const { etag, method, status = 200, scim } = this.#operation
    const headers = this.#headers(state)
    if (answer === undefined) return this.#send(state, null, 204, headers)
    if (answer instanceof Streamed) return this.#stream(state, answer, headers)
    if (answer instanceof Raw) return this.#raw(state, answer, headers)
    const json = answer instanceof JsonText ? answer : new JsonText(JSON.stringify(answer))
    const { version = json.tag, location } = scim && (etag || status === 201) ? namedInMeta(json.text) : {}
    if (status === 201 && location !== undefined) headers.set('location', location)
    if (etag) {
      headers.set('etag', version)
      if (method === 'GET' && isTagListed(state.request.headers.get('if-none-match'), version)) {
        return this.#send(state, null, 304, headers)
      }
    }
    return this.#send(state, json.text, status, headers)
  }

  /** A response without content that belongs to no operation, such as that to OPTIONS. */
  empty(state: RequestState, status: number, extra: Record<string, string>): Response {
    const headers = this.#headers(state)
    for (const [name, value] of Object.entries(extra)) headers.set(name, value)
    return this.#send(state, null, status, headers)
  }

  /** The error response. A refused command is written to the audit log first; a failure of that is the response. */
  async failure(state: RequestState, cause: unknown): Promise<Response> {
    const { audit: auditContext, span } = state
    const error = this.#limited(state, cause)
    if (!auditContext || !(error instanceof Refusal)) return inSpan(span, () => this.#error(state, error))
    try {
      await this.#deps.auditLog.refusal(auditContext, error.code)
      return inSpan(span, () => this.#error(state, error))
    } catch (failure) {
      return inSpan(span, () => this.#error(state, failure))
    }
  }

  /** A request with an invalid token takes from the bucket of its address, and is 429 when the bucket is empty. */
  #limited(state: RequestState, error: unknown): unknown {
    if (!isRefusalOf(error, 'unauthorized') || state.rateLimit !== '') return error
    try {
      state.rateLimit = this.#deps.rateLimit.take(networkOf(state.clientIp))
      return error
    } catch (refusal) {
      return refusal
    }
  }

  #error(state: RequestState, error: unknown): Response {
    const { request, requestId } = state
    const { publicUrl, unknownPage } = this.#deps
    const refusal = refusalOf(error)
    if (refusal.code === 'internal_error') this.#deps.log.error({ err: error, requestId }, 'unexpected error')
    this.#deps.outages.record(refusal, requestId)
    const { path } = targetOf(request.url)
    const format = errorFormatOf(path)
    const status = statusOf(format, refusal)
    const headers = this.#headers(state, refusal.headers?.ratelimit)
    headers.set('content-type', mediaTypeOf(format))
    // HTTP requires the field for every 401, including that of a refused sign-in.
    if (status === 401) headers.set('www-authenticate', challengeOf(format, refusal))
    if (format === 'oauth') headers.set('cache-control', 'no-store')
    for (const [name, value] of Object.entries(refusal.headers ?? {})) headers.set(name, value)
    if (unknownPage && this.#operation.page && !isOfApi(path) && refusal.code === 'not_found') {
      headers.append('vary', 'Accept')
      if (prefersPage(request)) {
        const page = unknownPage(path, refusal.detail)
        for (const [name, value] of Object.entries(page.headers)) headers.set(name, value)
        return this.#send(state, page.text, status, headers, refusal.code)
      }
    }
    return this.#send(state, errorBody(format, refusal, { path, requestId, publicUrl }), status, headers, refusal.code)
  }

  #raw(state: RequestState, { body, mediaType, headers: extra, status }: Raw, headers: Headers): Response {
    headers.set('content-type', mediaType)
    for (const [name, value] of Object.entries(extra)) headers.set(name, value)
    return this.#send(state, body, status ?? this.#operation.status ?? 200, headers)
  }

  #stream(state: RequestState, answer: Streamed, headers: Headers): Response {
    const { status = 200 } = this.#operation
    headers.set('content-type', answer.mediaType)
    for (const [name, value] of Object.entries(answer.headers)) headers.set(name, value)
    this.#record(state, status)
    const onFailure = (error: unknown) => {
      // A refusal such as that of a revoked session is no fault of the service.
      if (error instanceof Refusal && error.dependency === undefined) return
      this.#deps.log.error({ err: error, requestId: state.requestId }, 'streamed response aborted')
    }
    const gzip = acceptsCoding(state.request.headers.get('accept-encoding'), 'gzip')
    return streamedResponse(answer, { status, headers }, { gzip, onFailure })
  }

  /** A request that was not counted takes from the bucket of its address, unless a limit refused it. */
  #headers(state: RequestState, rateLimit = state.rateLimit): Headers {
    // A refused token and an unknown path have no caller.
    const isPrivate = state.caller !== undefined || state.request.headers.has('authorization')
    const headers = new Headers(isPrivate ? this.#callerHeaders : this.#publicHeaders)
    headers.set('x-request-id', state.requestId)
    if (this.#deps.closesConnections) headers.set('connection', 'close')
    if (state.link !== undefined) headers.set('link', state.link)
    if (state.deprecation !== undefined) headers.set('deprecation', state.deprecation)
    headers.set('ratelimit', rateLimit || this.#deps.rateLimit.count(networkOf(state.clientIp)))
    // `append` adds to the `Vary` that is there.
    state.cors?.forEach((value, name) => {
      headers.append(name, value)
    })
    return headers
  }

  #send(
    state: RequestState,
    body: string | Uint8Array | Blob | null,
    status: number,
    headers: Headers,
    code?: ErrorCode,
  ): Response {
    this.#record(state, status, code)
    if (body === null) headers.delete('content-type')
    return new Response(body, { status, headers })
  }

  /** Records metric, span and log line. */
  #record(state: RequestState, status: number, code?: ErrorCode): void {
    const { request, requestId, caller, span, startedMs } = state
    const { id, audit } = this.#operation
    const ms = performance.now() - startedMs
    this.#observe(status, ms / 1000)
    if (span) endRequestSpan(span, status)
    this.#deps.requestLog.write({
      requestId,
      operation: id,
      method: request.method,
      status,
      code,
      ms: Math.round(ms * 100) / 100,
      traceId: span?.spanContext().traceId,
      tenant: caller?.orgId,
      user: caller?.userId,
      // Reads with a token are logged without an address, since looking it up costs a tenth of a read.
      ip: caller && !audit ? undefined : state.clientIp,
    })
  }
}

/** The challenge of a 401. OAuth libraries read the error from it instead of the body. */
function challengeOf(format: ErrorFormat, { code, detail }: Refusal): string {
  if (format !== 'oauth') return 'Bearer'
  return `Basic realm="marketplace", charset="UTF-8", error="${oauthErrorOf(code)}", error_description="${oauthDescription(detail)}"`
}

/** The refusal that an error becomes: 503 for a failed dependency, 500 for an unexpected error. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const failed = databaseRefusal(error)
  if (failed) return failed
  // The client closed the connection before its body was complete; no response reaches it.
  if ((error as { name?: unknown } | null)?.name === 'AbortError') return invalidField('body', 'was cut short')
  return refuse('internal_error', {
    detail: 'Something went wrong on our side. Quote the request id when you report this.',
  })
}
