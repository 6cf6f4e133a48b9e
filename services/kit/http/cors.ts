import { cors } from '@elysiajs/cors'
import type { AnyElysia } from 'elysia'

/** Time for which a browser may remember the answer to a preflight request. */
const MAX_AGE_SECONDS = '600'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'] as const

const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Range',
  'X-Request-Id',
  'traceparent',
]

/** The headers of a response that a page can read, besides those that every page may read, such as Content-Type. */
const RESPONSE_HEADERS = [
  'Accept-Ranges',
  'Allow',
  'Beta',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
]

/** Prepares the CORS headers of each response for these origins. Cookies are not used, so credentials stay off. */
export const corsFor = (origins: readonly string[]): AnyElysia =>
  cors({
    origin: [...origins],
    methods: [...METHODS],
    allowedHeaders: REQUEST_HEADERS,
    exposeHeaders: RESPONSE_HEADERS,
    credentials: false,
    // A preflight request gets the answer to OPTIONS of its path, with `Allow`.
    preflight: false,
  })

/** The part of Elysia's response settings that the plugin fills. */
interface PreparedHeaders {
  headers: Record<string, string | number | undefined>
}

/**
 * Takes the prepared headers out of Elysia's settings. Elysia would otherwise copy each response to merge them, and
 * replace `Vary`.
 */
export function takeCorsHeaders(set: PreparedHeaders, method: string): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(set.headers)) if (value !== undefined) headers.set(name, String(value))
  if (method === 'OPTIONS') headers.set('access-control-max-age', MAX_AGE_SECONDS)
  set.headers = {}
  return headers
}
