import { Elysia } from 'elysia'
import type { AnyOperation } from '../../../proto/http/operation.ts'
import type { Exchange } from './call.ts'
import { clientAddress } from './client-address.ts'
import type { HttpDeps } from './deps.ts'
import { invalidField, Refusal, refuse } from './refusal.ts'
import { Responder } from './responder.ts'
import { Routes } from './routes.ts'
import {
  headersLength,
  MAX_HEADERS_CHARACTERS,
  MAX_TARGET_CHARACTERS,
  pathPattern,
  routerPath,
  targetOf,
} from './target.ts'

export interface HttpApp {
  fetch(request: Request): Promise<Response> | Response
  /** The operations that Bun's own router can tell apart, for the server to ask before \`fetch\`. */
  native: NativeRoutes
  /** From now on clients are known by their sockets. */
  listenOn(socketAddress: SocketAddress): void
  elysia: Elysia
  operations: readonly AnyOperation[]
}

/** Anything else, a question mark say, would move the path that the URL is cut into. */
const HOST = /^[A-Za-z0-9._-]+(:\d{0,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{0,5})?$/
const isHost = (host: string) => HOST.test(host) && URL.canParse(`http://${host}`)
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Tells whom a request's socket is connected to: asked only where somebody wants to know, for it costs a tenth of a read. */
export type SocketAddress = (request: Request) => string | undefined

export type NativeRoutes = Record<string, Record<string, (request: Bun.BunRequest) => Promise<Response> | Response>>

/** What the addresses of clients are made of. */
interface Surroundings {
  trustedProxies: number
  socketAddress: SocketAddress
}

class Incoming implements Exchange {
  readonly request: Request
  readonly requestId: string
  readonly #surroundings: Surroundings
  #clientIp: string | undefined
  #asked = false

  constructor(request: Request, surroundings: Surroundings) {
    this.request = request
    this.#surroundings = surroundings
    const given = request.headers.get('x-request-id')
    this.requestId = given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID()
  }

  get clientIp(): string | undefined {
    if (this.#asked) return this.#clientIp
    const { request } = this
    const { socketAddress, trustedProxies } = this.#surroundings
    this.#clientIp = clientAddress(socketAddress(request), request.headers.get('x-forwarded-for'), trustedProxies)
    this.#asked = true
    return this.#clientIp
  }
}

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
    const native: NativeRoutes = {}
    for (const { elysia, operations, answers } of features) {
      this.#elysia.use(elysia)
      for (const { operation, answer } of answers) {
        if (!isNative(operation)) continue
        const names = Object.keys(operation.params?.properties ?? {})
        const respond = (request: Bun.BunRequest) => {
          // Dots are steps of the path, which Bun's router does not take.
          if (names.some((name) => DOTS.has(String(request.params[name])))) return this.#fetch(request)
          return this.#inadmissible(request) ?? answer(request, request.params)
        }
        const path = routerPath(operation.path)
        native[path] = { ...native[path], [operation.method]: respond }
        // Bun leaves out the body, and says how long it would have been.
        if (operation.method === 'GET') native[path].HEAD = respond
      }
      for (const operation of operations) this.#matchers.push({ pattern: pathPattern(operation.path), operation })
    }
    this.#elysia.all('/*', ({ request }) => this.#fallback(this.#exchangeOf(request)))
    this.#elysia.compile()
    return {
      fetch: (request) => this.#fetch(request),
      native,
      listenOn: (socketAddress) => {
        this.#surroundings.socketAddress = (request) => socketAddress(this.#heads.get(request) ?? request)
      },
      elysia: this.#elysia,
      operations: this.#matchers.map(({ operation }) => operation),
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

const DOTS = new Set(['.', '..'])

/** Bun's router takes a verb behind a parameter for a part of its name. */
const isNative = ({ path }: AnyOperation) => !path.includes('}:')

/** Elysia's own way of saying that nothing is there, and percent-encoding that decodes to nothing. */
const isRoutingFailure = (error: unknown) =>
  error instanceof URIError || (error as { code?: unknown } | null)?.code === 'NOT_FOUND'
