import type { Span } from '@opentelemetry/api'
import type { AuditContext } from '../audit/context.ts'
import type { Caller } from '../auth/caller.ts'
import { clientAddress } from './client-address.ts'

/** What the IP address of a client is derived from. */
export interface ClientIpSource {
  /** Number of proxies in front of the service that append to `X-Forwarded-For`. */
  trustedProxies: number
  socketAddress(request: Request): string | undefined
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Writes the responses that no handler returns. */
export interface ErrorResponder {
  failure(state: RequestState, error: unknown): Promise<Response>
  /** A response without content, such as that to OPTIONS. */
  empty(state: RequestState, status: number, extra: Record<string, string>): Response
}

/** The state of one request, to which each check adds. */
export class RequestState {
  readonly request: Request
  readonly requestId: string
  readonly startedMs = performance.now()
  /** Writes the responses of the operation; undefined until the request is routed. */
  responder: ErrorResponder | undefined
  caller: Caller | undefined
  /** Set once the request is known to be a command. */
  audit: AuditContext | undefined
  /** The CORS headers of the response, while the API is open to pages of other origins. */
  cors: Headers | undefined
  /** The `Deprecation` field, once the request is known to use a deprecated parameter. */
  deprecation: string | undefined
  /** The `Link` field, where the answer is a page with another one after it. */
  link: string | undefined
  /** The `RateLimit` field, once the request was counted. */
  rateLimit = ''
  /** The span of the request, while traces are on. */
  span: Span | undefined
  readonly #ipSource: ClientIpSource
  #clientIp: string | undefined
  #hasClientIp = false

  constructor(request: Request, ipSource: ClientIpSource) {
    this.request = request
    this.#ipSource = ipSource
    const given = request.headers.get('x-request-id')
    this.requestId = given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID()
  }

  /** Looked up on first use, because asking the socket costs a tenth of a read. */
  get clientIp(): string | undefined {
    if (!this.#hasClientIp) {
      const { socketAddress, trustedProxies } = this.#ipSource
      const forwardedFor = this.request.headers.get('x-forwarded-for')
      this.#clientIp = clientAddress(socketAddress(this.request), forwardedFor, trustedProxies)
      this.#hasClientIp = true
    }
    return this.#clientIp
  }
}
