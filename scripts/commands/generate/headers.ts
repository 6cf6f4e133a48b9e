import type { Operation } from '../../../proto/http/operation.ts'
import { isPaged } from '../../../services/kit/http/target.ts'
import type { Components, Json } from './components.ts'

const DEPRECATION: Json = {
  description: 'Present where the request uses a deprecated parameter: since when it is deprecated (RFC 9745).',
  schema: { type: 'string' },
  example: '@1795305600',
}

const LINK: Json = {
  description: 'Present where there are more items: the next page, with the same filters (RFC 8288).',
  schema: { type: 'string' },
  example: '</v1/parts?pageSize=10&page=2>; rel="next"',
}

const BETA: Json = {
  description: 'Present because the operation may change incompatibly.',
  schema: { type: 'string' },
  example: 'true',
}

/** The fields are no standard yet, and the drafts before 08 had others. */
const DRAFT = 'draft-ietf-httpapi-ratelimit-headers-10'

/** Headers of every response. */
const COMMON: Record<string, Json> = {
  'X-Request-Id': {
    description: 'Id of the request: your own, or a new one. Quote it when you report a problem.',
    schema: { type: 'string' },
    example: 'req-7f3a',
  },
  RateLimit: {
    description: `Requests that are left for your organization (\`r\`), and seconds until there are more (\`t\`), as in ${DRAFT}.`,
    schema: { type: 'string' },
    example: '"default";r=199;t=2',
  },
  'RateLimit-Policy': {
    description: `Requests at once (\`q\`), and seconds after which as many are available again (\`w\`), as in ${DRAFT}.`,
    schema: { type: 'string' },
    example: '"default";q=200;w=2',
  },
}

/** References to the headers of every response. */
export const commonHeaders = (components: Components): Json =>
  Object.fromEntries(
    Object.entries(COMMON).map(([name, value]) => [name, components.reference('headers', name, () => value)]),
  )

const ETAG: Json = {
  description: 'Tag of this version, for `If-None-Match` and `If-Match`.',
  schema: { type: 'string' },
}

/** Headers of a success. */
export function headersOf(operation: Operation, components: Components): Json {
  const { etag, beta, deprecatedQuery } = operation
  const header = (name: string, value: Json) => ({ [name]: components.reference('headers', name, () => value) })
  return {
    ...(etag ? header('ETag', ETAG) : {}),
    ...(isPaged(operation) ? header('Link', LINK) : {}),
    ...(deprecatedQuery ? header('Deprecation', DEPRECATION) : {}),
    ...(beta ? header('Beta', BETA) : {}),
    ...commonHeaders(components),
  }
}
