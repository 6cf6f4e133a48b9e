import type { Operation } from '../../../proto/http/operation.ts'
import type { Caller } from '../auth/caller.ts'
import { isDependencyFailure } from '../db/failures.ts'
import { JsonText } from '../db/json-text.ts'
import { invalidField, Refusal, refuse, unavailable } from '../errors/refusal.ts'
import { StorageFailure } from '../storage/failures.ts'
import type { Exchange } from './call.ts'
import { networkOf } from './client-address.ts'
import type { HttpDeps } from './deps.ts'
import { errorBody, familyOf, mediaTypeOf, statusOf } from './problem.ts'
import { Raw } from './raw.ts'
import { acceptsGzip, Streamed, streamedResponse } from './stream.ts'
import { targetOf } from './target.ts'

export interface Outcome {
  caller?: Caller | undefined
  rateLimit: string
  startedMs: number
}

/** Writes every answer of one operation: status, headers, body, and the log line and metric that go with it. */
export class Responder {
  readonly #deps: HttpDeps
  readonly #operation: Operation
  readonly #observe: (status: number, seconds: number) => void
  /** The headers that each answer has: copied whole, which is quicker than setting one after the other. */
  readonly #forCaller: Headers
  readonly #forAnybody: Headers

  constructor(operation: Operation, deps: HttpDeps) {
    this.#deps = deps
    this.#operation = operation
    this.#observe = deps.metrics.observer(operation.id)
    this.#forAnybody = new Headers({
      'content-type': operation.mediaType ?? 'application/json',
      'x-content-type-options': 'nosniff',
      'ratelimit-policy': deps.rateLimit.policy,
      ...(operation.noStore ? { 'cache-control': 'no-store' } : {}),
      ...(operation.beta ? { beta: 'true' } : {}),
    })
    this.#forCaller = new Headers(this.#forAnybody)
    if (!operation.noStore) {
      this.#forCaller.set('cache-control', 'private, no-cache')
      this.#forCaller.set('vary', 'Authorization')
    }
  }

  success(exchange: Exchange, answer: unknown, outcome: Outcome): Response {
    const { etag, method, status = 200 } = this.#operation
    const headers = this.#headers(exchange, outcome)
    if (answer === undefined) return this.#send(exchange, null, 204, headers, outcome)
    if (answer instanceof Streamed) return this.#stream(exchange, answer, headers, outcome)
    if (answer instanceof Raw) return this.#raw(exchange, answer, headers, outcome)
    const json = answer instanceof JsonText ? answer : new JsonText(JSON.stringify(answer))
    if (etag) {
      headers.set('etag', json.tag)
      if (method === 'GET' && tagListed(exchange.request.headers.get('if-none-match'), json.tag)) {
        return this.#send(exchange, null, 304, headers, outcome)
      }
    }
    return this.#send(exchange, json.text, status, headers, outcome)
  }

  #raw(exchange: Exchange, { body, mediaType, headers: extra, status }: Raw, headers: Headers, outcome: Outcome) {
    headers.set('content-type', mediaType)
    for (const [name, value] of Object.entries(extra)) headers.set(name, value)
    return this.#send(exchange, body, status ?? this.#operation.status ?? 200, headers, outcome)
  }

  #stream(exchange: Exchange, answer: Streamed, headers: Headers, outcome: Outcome): Response {
    const { status = 200 } = this.#operation
    headers.set('content-type', answer.mediaType)
    for (const [name, value] of Object.entries(answer.headers)) headers.set(name, value)
    this.#note(exchange, status, outcome)
    const onFailure = (error: unknown) => {
      // Revoked meanwhile, say: nothing of ours is wrong.
      if (error instanceof Refusal && !(error instanceof StorageFailure)) return
      this.#deps.log.error({ err: error, requestId: exchange.requestId }, 'an answer broke off')
    }
    const gzip = acceptsGzip(exchange.request.headers.get('accept-encoding'))
    return streamedResponse(answer, { status, headers }, { gzip, onFailure })
  }

  /** An answer without content that no operation gives: to OPTIONS. */
  empty(exchange: Exchange, extra: Record<string, string>, outcome: Outcome): Response {
    const headers = this.#headers(exchange, outcome)
    for (const [name, value] of Object.entries(extra)) headers.set(name, value)
    return this.#send(exchange, null, 204, headers, outcome)
  }

  refusal(exchange: Exchange, error: unknown, outcome: Outcome): Response {
    const refusal = refusalOf(error)
    if (refusal.code === 'internal_error') this.#deps.log.error({ err: error, requestId: exchange.requestId }, 'bug')
    if (error instanceof StorageFailure) {
      this.#deps.log.warn({ err: error, requestId: exchange.requestId }, 'the file store failed')
    }
    const { path } = targetOf(exchange.request.url)
    const family = familyOf(path)
    const headers = this.#headers(exchange, outcome)
    headers.set('content-type', mediaTypeOf(family))
    const status = statusOf(family, refusal)
    // HTTP demands it of every 401, that of a refused sign-in included.
    if (status === 401) headers.set('www-authenticate', 'Bearer')
    for (const [name, value] of Object.entries(refusal.headers ?? {})) headers.set(name, value)
    const body = errorBody(family, refusal, path, exchange.requestId)
    return this.#send(exchange, body, status, headers, outcome)
  }

  #headers(exchange: Exchange, { caller, rateLimit }: Outcome): Headers {
    const headers = new Headers(caller ? this.#forCaller : this.#forAnybody)
    headers.set('x-request-id', exchange.requestId)
    headers.set('ratelimit', rateLimit === '' ? this.#deps.rateLimit.note(networkOf(exchange.clientIp)) : rateLimit)
    return headers
  }

  #send(
    exchange: Exchange,
    body: string | Uint8Array | Blob | null,
    status: number,
    headers: Headers,
    outcome: Outcome,
  ): Response {
    this.#note(exchange, status, outcome)
    if (status === 204 || status === 304) headers.delete('content-type')
    return new Response(body, { status, headers })
  }

  #note(exchange: Exchange, status: number, { caller, startedMs }: Outcome): void {
    const { id, audit } = this.#operation
    const ms = performance.now() - startedMs
    this.#observe(status, ms / 1000)
    this.#deps.requestLog.write({
      requestId: exchange.requestId,
      operation: id,
      method: exchange.request.method,
      status,
      ms: Math.round(ms * 100) / 100,
      tenant: caller?.orgId,
      user: caller?.userId,
      // Whoever reads with a token is known by more than an address.
      ip: caller && !audit ? undefined : exchange.clientIp,
    })
  }
}

/** Whether an `If-None-Match` names the tag: what is read may be compared weakly. */
export const tagListed = (list: string | null, tag: string): boolean =>
  listed(list, (item) => item.replace(/^W\//, '') === tag)

/** Whether an `If-Match` names the tag: what is changed must be the very same, and a weak tag promises less. */
export const strongTagListed = (list: string | null, tag: string): boolean => listed(list, (item) => item === tag)

function listed(list: string | null, isSame: (item: string) => boolean): boolean {
  if (list === null) return false
  return list.trim() === '*' || list.split(',').some((item) => isSame(item.trim()))
}

/** What the caller is told of an error: refusals as they are, a dead dependency as 503, anything else as a bug. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isDependencyFailure(error)) return unavailable()
  // The client left in the middle of its body: nobody reads the answer, and nothing of ours is wrong.
  if ((error as { name?: unknown } | null)?.name === 'AbortError') return invalidField('body', 'was cut short')
  return refuse('internal_error', {
    detail: 'Something went wrong on our side. Quote the request id when you report it.',
  })
}
