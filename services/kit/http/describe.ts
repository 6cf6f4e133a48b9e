import type { TObject, TSchema } from '@sinclair/typebox'
import { ERRORS, type ErrorCode } from '../../../proto/errors.ts'
import type { Operation } from '../../../proto/http/operation.ts'
import { refuse } from '../errors/refusal.ts'
import { familyOf, statusOf } from './problem.ts'

type Json = Record<string, unknown>

/** A header without an example, because the documentation page would send the example with each request. */
const header = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

const REQUEST_ID = header(
  'X-Request-Id',
  'Your own id for this request, 1 to 64 of `[A-Za-z0-9._-]`. The response repeats it.',
  { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
)

const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Makes a retry safe: for 24 hours the same key and body return the first response again. Another body is 409.',
  { type: 'string', minLength: 1, maxLength: 255 },
)

const IF_NONE_MATCH = header('If-None-Match', 'The `ETag` of an earlier response. 304 if nothing has changed since.', {
  type: 'string',
})

const IF_MATCH = header('If-Match', 'The `ETag` of the record as you know it. 412 if it has changed since.', {
  type: 'string',
})

/** The OpenAPI description of an operation, derived from its contract. */
export function describe(operation: Operation): Json {
  const { id, tag, summary, description, access, beta, body, bodyOptional, acceptsBytes } = operation
  return {
    operationId: id,
    tags: [tag.name],
    summary,
    description: [description, permissionNote(access), impersonationNote(operation)].filter(Boolean).join('\n\n'),
    ...(access === 'public' ? { security: [] } : {}),
    ...(beta ? { 'x-beta': true } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    parameters: parametersOf(operation),
    ...(body
      ? { requestBody: { required: !bodyOptional, content: { 'application/json': { schema: plain(body) } } } }
      : {}),
    ...(acceptsBytes
      ? { requestBody: { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } }
      : {}),
    responses: responsesOf(operation),
  }
}

function permissionNote(access: Operation['access']): string {
  if (access === 'public') return 'Needs no token.'
  if (access === 'token') return ''
  const keys = typeof access === 'string' ? [access] : access
  return `Needs the permission ${keys.map((key) => `\`${key}\``).join(' or ')}.`
}

const impersonationNote = ({ closedToImpersonation }: Operation): string =>
  closedToImpersonation ? 'Closed (403) while acting under an impersonation grant.' : ''

function parametersOf({ params, query, method, idempotent, etag, ifMatch }: Operation): Json[] {
  return [
    ...fieldsOf(params, 'path'),
    ...fieldsOf(query, 'query'),
    ...(idempotent && method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(etag && method === 'GET' ? [IF_NONE_MATCH] : []),
    ...(ifMatch ? [IF_MATCH] : []),
    REQUEST_ID,
  ]
}

function fieldsOf(schema: TObject | undefined, place: 'path' | 'query'): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, examples, deprecated, ...rest } = plain(property)
    return {
      name,
      in: place,
      required: place === 'path' || ((schema?.required?.includes(name) ?? false) && property.default === undefined),
      description,
      ...(deprecated ? { deprecated } : {}),
      schema: rest,
      ...(Array.isArray(examples) ? { example: examples[0] } : {}),
    }
  })
}

function responsesOf(operation: Operation): Json {
  const { status = 200, response, mediaType = 'application/json', responseExample, otherStatuses = {} } = operation
  const mayBeUnmodified = operation.etag && operation.method === 'GET'
  const content = response
    ? { [mediaType]: { schema: plain(response), ...(responseExample ? { example: responseExample } : {}) } }
    : undefined
  const success = { description: status === 204 ? 'Done; no content.' : 'Done.', ...(content ? { content } : {}) }
  return {
    [status]: success,
    ...(mayBeUnmodified ? { 304: { description: 'Not modified since the `ETag` given.' } } : {}),
    ...Object.fromEntries(Object.entries(otherStatuses).map(([code, description]) => [code, { description }])),
    ...errorResponses(operation),
  }
}

/** One response for each status of the operation's refusals, with the codes it can have. */
function errorResponses(operation: Operation): Json {
  const family = familyOf(operation.path)
  const codes = new Map<number, ErrorCode[]>()
  for (const code of codesOf(operation)) {
    const status = statusOf(family, refuse(code))
    codes.set(status, [...(codes.get(status) ?? []), code])
  }
  const schema = { $ref: `#/components/schemas/${family === 'v1' ? 'Problem' : 'ErrorEnvelope'}` }
  const mediaType = family === 'v1' ? 'application/problem+json' : 'application/json'
  return Object.fromEntries(
    [...codes].map(([status, named]) => [
      status,
      {
        description: named.map((code) => `${ERRORS[code].title} (\`${code}\`).`).join(' '),
        content: { [mediaType]: { schema } },
      },
    ]),
  )
}

function codesOf(operation: Operation): Set<ErrorCode> {
  const { access, params, query, etag, ifMatch, idempotent, closedToImpersonation, refusals } = operation
  const when = (condition: unknown, ...codes: ErrorCode[]) => (condition ? codes : [])
  const guarded = access !== 'public'
  // An operation without a body refuses the fields of one, so it has these errors, too.
  const body = operation.body ?? (operation.method !== 'GET' && !operation.acceptsBytes)
  return new Set<ErrorCode>([
    ...when(query || body, 'validation_error'),
    ...when(guarded, 'unauthorized'),
    ...when((guarded && access !== 'token') || closedToImpersonation, 'forbidden'),
    ...when(params && (etag !== undefined || guarded), 'not_found'),
    ...when(idempotent, 'idempotency_conflict'),
    ...when(ifMatch, 'precondition_failed'),
    ...when(body, 'payload_too_large', 'unsupported_media_type'),
    'rate_limited',
    ...(refusals ?? []),
    'internal_error',
    'unavailable',
  ])
}

/** A schema as plain JSON, without the symbols of TypeBox. */
export const plain = (schema: TSchema): Json => JSON.parse(JSON.stringify(schema))
