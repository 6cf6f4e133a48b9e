import { type AnyElysia, Elysia } from 'elysia'
import { invalidField, refuse, unavailable } from '../errors/refusal.ts'
import { contentLengthOf } from '../limits/content-length.ts'
import { corsFor, takeCorsHeaders } from './cors.ts'
import type { Http } from './http.ts'
import { KnownPaths } from './known-paths.ts'
import { type ClientIpSource, RequestState } from './request-state.ts'
import { headersLength, MAX_HEADERS_CHARACTERS, MAX_TARGET_CHARACTERS, targetOf } from './target.ts'

/** The part of a service that the app uses. */
interface RoutedService {
  http: Http
  /** The routes of the service: one named Elysia plugin for each feature. */
  features: readonly AnyElysia[]
}

interface AppOptions {
  services: readonly RoutedService[]
  /** The service that answers a path, whether it has a route for it or not. */
  ownerOf(path: string): RoutedService
  /** Whether another process answers a path. Default: none does. */
  isElsewhere?(path: string): boolean
  trustedProxies: number
  /** Origins whose pages may call the API. */
  corsOrigins: readonly string[]
}

/** Some ingress controllers send requests of a service without a ready replica to that of all other paths. */
const NO_REPLICA = 'The service for this path has no ready replica; try again in a moment.'

/** The Elysia app of a process: refuses malformed requests before they are routed, and writes every error response. */
export function createApp({ services, ownerOf, isElsewhere = () => false, trustedProxies, corsOrigins }: AppOptions) {
  const ipSource: ClientIpSource = {
    trustedProxies,
    socketAddress: (request) => app.server?.requestIP(request)?.address,
  }
  const paths = new KnownPaths(services.flatMap(({ http }) => http.operations))
  const refuseMalformed = createRequestCheck()
  const hasCors = corsOrigins.length > 0
  // strictPath: a path with a slash at the end is another path. normalize: the kit checks input and output itself.
  // standardHostname: the path is searched from the start of the URL, because a host can be shorter than Elysia
  // assumes.
  const app = new Elysia({ strictPath: true, normalize: false, handler: { standardHostname: false } }).decorate(
    'state',
    null as unknown as RequestState,
  )
  if (hasCors) app.use(corsFor(corsOrigins))
  app
    .onRequest((context) => {
      context.state = new RequestState(context.request, ipSource)
      if (hasCors) context.state.cors = takeCorsHeaders(context.set, context.request.method)
      refuseMalformed(context.request)
    })
    .onError(({ state, code, error }) => {
      const { path } = targetOf(state.request.url)
      const responder = state.responder ?? ownerOf(path).http.unrouted
      // Invalid percent-encoding in a path is 404, like an unknown path.
      if (code !== 'NOT_FOUND' && !(error instanceof URIError)) return responder.failure(state, error)
      const methods = paths.methodsOf(path)
      const page = methods ? undefined : paths.pageWithoutSlash(path)
      if (page) return responder.empty(state, 308, { location: page })
      if (!methods && isElsewhere(path)) return responder.failure(state, unavailable('replica', NO_REPLICA))
      if (!methods) return responder.failure(state, refuse('not_found', { detail: paths.detailOfUnknown(path) }))
      const allow = methods.join(', ')
      const { method } = state.request
      if (method === 'OPTIONS') return responder.empty(state, 204, { allow })
      const detail = paths.detailOfRefused(method, path)
      return responder.failure(state, refuse('method_not_allowed', { detail, headers: { allow } }))
    })
  for (const feature of services.flatMap(({ features }) => features)) app.use(feature)
  return app
}

/** A host has no other character, because one such as a question mark would move the start of the path in the URL. */
const HOST = /^[A-Za-z0-9._-]+(:\d{0,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{0,5})?$/
const isHost = (host: string) => HOST.test(host) && URL.canParse(`http://${host}`)

/** Returns a check that throws for an invalid host or length, and for a target or headers that are too long. */
function createRequestCheck(): (request: Request) => void {
  // Nearly all requests name the same host, so the last valid one is remembered.
  let validHost = ''
  return (request) => {
    const { url, headers } = request
    const host = headers.get('host')
    if (url.startsWith('/') || (host !== null && host !== validHost && !isHost(host))) {
      throw invalidField('Host', 'must be a host name or an address')
    }
    if (host !== null) validHost = host
    // Bun refuses values that are not digits, but joins equal lines, which are refused here.
    if (contentLengthOf(request) === undefined && headers.has('content-length')) {
      throw invalidField('Content-Length', 'must be one number of bytes, in one line')
    }
    if (url.length > MAX_TARGET_CHARACTERS) throw refuse('uri_too_long')
    if (headersLength(headers) > MAX_HEADERS_CHARACTERS) throw refuse('headers_too_large')
  }
}
