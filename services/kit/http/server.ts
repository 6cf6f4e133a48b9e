import { Elysia } from 'elysia'
import type { AnyOperation } from '../../../proto/http/operation.ts'
import { invalidField, Refusal, refuse } from '../errors/refusal.ts'
import type { Exchange } from './call.ts'
import type { HttpDeps } from './deps.ts'
import { Incoming, type SocketAddress, type Surroundings } from './incoming.ts'
import { type NativeRoutes, nativeRoutes } from './native.ts'
import { Responder } from './responder.ts'
import { Routes } from './routes.ts'
import { headersLength, MAX_HEADERS_CHARACTERS, MAX_TARGET_CHARACTERS, pathPattern, targetOf } from './target.ts'

export interface HttpApp {
  fetch(request: Request): Promise<Response> | Response
  /** The operations that Bun's own router can tell apart, for the server to ask before `fetch`. */
  native: NativeRoutes
  /** From now on clients are known by their sockets. */
  listenOn(socketAddress: SocketAddress): void
  elysia: Elysia
  operations: readonly AnyOperation[]
}

/** Anything else, a question mark say, would move the path that the URL is cut into. */
const HOST = /^[A-Za-z0-9._-]+(:\d{0,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{0,5})?$/
const isHost = (host: string) => HOST.test(host) && URL.canParse(`http://${host}`)

/** Everything a service answers over HTTP, made of its features' routes. */
export class Http {
  readonly #deps: HttpDeps
  readonly #surroundings: Surroundings
  /** The GET that answers a HEAD has no socket of its own. */
  readonly #heads = new WeakMap<Request, Request>()
  /** The last host that was right: nearly every request names the same. */
  #knownHost = ''
  readonly #matchers: { pattern: RegExp; operation: AnyOperation }[] = []
  readonly #unrouted: Responder
  readonly #elysia = new Elysia({ strictPath: true, normalize: false, handler: { standardHostname: false } })

  constructor(deps: HttpDeps) {
    this.#deps = deps
    this.#surroundings = { trustedProxies: deps.trustedProxies, socketAddress: () => undefined }
    const unrouted = { id: 'unrouted', method: 'GET', path: '/', tag: '', summary: '', access: 'public' } as const
    this.#unrouted = new Responder(unrouted, deps)
  }

  routes(): Routes {
    return new Routes(this.#deps, this.#exchangeOf, (exchange) => this.#fallback(exchange))
  }

  /** Mounts the features; the answer's `fetch` is what the process serves. */
  build(features: readonly Routes[]): HttpApp {
    // Before the features, or it would not hold for their routes.
    this.#elysia.onError(({ error, request }) => this.#refuse(this.#exchangeOf(request), error))
    const routes = features.flatMap((feature) => feature.routes)
    for (const { elysia } of features) this.#elysia.use(elysia)
    for (const { operation } of routes) this.#matchers.push({ pattern: pathPattern(operation.path), operation })
    this.#elysia.all('/*', ({ request }) => this.#fallback(this.#exchangeOf(request)))
    this.#elysia.compile()
    return {
      fetch: (request) => this.#fetch(request),
      native: nativeRoutes(routes, {
        inadmissible: (request) => this.#inadmissible(request),
        elsewhere: (request) => this.#fetch(request),
      }),
      listenOn: (socketAddress) => {
        this.#surroundings.socketAddress = (request) => socketAddress(this.#heads.get(request) ?? request)
      },
      elysia: this.#elysia,
      operations: routes.map(({ operation }) => operation),
    }
  }

  #fetch(request: Request): Promise<Response> | Response {
    const refused = this.#inadmissible(request)
    if (refused) return refused
    return this.#elysia.fetch(request.method === 'HEAD' ? this.#asGet(request) : request)
  }

  /** The answer to what no route may see. */
  #inadmissible(request: Request): Response | undefined {
    // Without a host there is no origin in the URL, and every router would cut the path out of it elsewhere.
    const host = request.headers.get('host')
    if (request.url.startsWith('/') || (host !== null && host !== this.#knownHost && !isHost(host))) {
      return this.#refuse(this.#exchangeOf(request), invalidField('Host', 'must be a host name or an address'))
    }
    if (host !== null) this.#knownHost = host
    if (request.url.length > MAX_TARGET_CHARACTERS) {
      return this.#refuse(this.#exchangeOf(request), refuse('uri_too_long'))
    }
    if (headersLength(request.headers) > MAX_HEADERS_CHARACTERS) {
      return this.#refuse(this.#exchangeOf(request), refuse('headers_too_large'))
    }
    return undefined
  }

  readonly #exchangeOf = (request: Request): Exchange => new Incoming(request, this.#surroundings)

  /** A path that the router did not know, or not with this method. */
  async #fallback(exchange: Exchange): Promise<Response> {
    const { path } = targetOf(exchange.request.url)
    const methods = this.#matchers.filter(({ pattern }) => pattern.test(path)).map(({ operation }) => operation.method)
    if (methods.length === 0) {
      return this.#refuse(exchange, refuse('not_found', { detail: 'There is nothing at this path.' }))
    }
    const allow = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].join(', ')
    if (exchange.request.method === 'OPTIONS') {
      return this.#unrouted.empty(exchange, { allow }, { rateLimit: '', startedMs: performance.now() })
    }
    return this.#refuse(exchange, refuse('method_not_allowed', { headers: { allow } }))
  }

  /** HEAD is GET to whatever router it comes to; Bun leaves out the body. */
  #asGet(request: Request): Request {
    const get = new Request(request.url, { headers: request.headers })
    this.#heads.set(get, request)
    return get
  }

  #refuse(exchange: Exchange, error: unknown): Response {
    const known = error instanceof Refusal || !isRoutingFailure(error) ? error : refuse('not_found')
    return this.#unrouted.refusal(exchange, known, { rateLimit: '', startedMs: performance.now() })
  }
}

/** Elysia's own way of saying that nothing is there, and percent-encoding that decodes to nothing. */
const isRoutingFailure = (error: unknown) =>
  error instanceof URIError || (error as { code?: unknown } | null)?.code === 'NOT_FOUND'
