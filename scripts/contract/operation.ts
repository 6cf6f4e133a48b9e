import type { TObject, TSchema } from '@sinclair/typebox'
import type { Operation } from '../../proto/http/operation.ts'
import { pageQuery } from '../../proto/http/shapes.ts'
import { isPaged } from '../../services/kit/http/next-page.ts'
import type { Components, Json } from './components.ts'
import { errorResponses } from './errors.ts'

/** A header without an example, because the documentation page would send the example with each request. */
const header = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  description,
  schema,
})

const REQUEST_ID = header(
  'X-Request-Id',
  'Your own id for this request. The response repeats it if it is 1 to 64 of `[A-Za-z0-9._-]`, and has another one otherwise.',
  { type: 'string' },
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

const ETAG: Json = {
  description: 'Tag of this version, for `If-None-Match` and `If-Match`.',
  schema: { type: 'string' },
}

const BYTES: Json = { schema: { type: 'string', format: 'binary' } }

/** Whether an operation is not of the specification, which has only `/v1` and `/v2.3`. */
export const isAddition = ({ path }: Operation): boolean => !/^\/(v1|v2\.3)\//.test(path)

/** The OpenAPI description of an operation, derived from its contract. */
export function describe(operation: Operation, components: Components): Json {
  const { id, tag, summary, description, access, beta, transition } = operation
  return {
    operationId: id,
    tags: [tag.name],
    summary,
    description: [description, permissionNote(access), impersonationNote(operation)].filter(Boolean).join('\n\n'),
    ...(access === 'public' ? { security: [] } : {}),
    ...(isAddition(operation) ? { 'x-addition': true } : {}),
    ...(beta ? { 'x-beta': true } : {}),
    ...(transition ? { 'x-transition': transition } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    parameters: parametersOf(operation, components),
    ...requestBodyOf(operation),
    responses: responsesOf(operation, components),
  }
}

function permissionNote(access: Operation['access']): string {
  if (access === 'public') return 'Needs no token.'
  if (access === 'token') return ''
  const keys = typeof access === 'string' ? [access] : access
  return `Needs the permission ${keys.map((key) => `\`${key}\``).join(' or ')}.`
}

const impersonationNote = ({ changesAuthority }: Operation): string =>
  changesAuthority ? 'Closed (403) while acting under an impersonation grant.' : ''

function requestBodyOf({ body, bodyOptional, acceptsBytes, acceptsForm }: Operation): Json {
  if (acceptsBytes) {
    return { requestBody: { required: true, content: { 'application/octet-stream': BYTES, '*/*': BYTES } } }
  }
  if (!body) return {}
  const content = { schema: plain(body) }
  return {
    requestBody: {
      required: !bodyOptional,
      content: {
        'application/json': content,
        ...(acceptsForm ? { 'application/x-www-form-urlencoded': content } : {}),
      },
    },
  }
}

function parametersOf(operation: Operation, components: Components): Json[] {
  const { params, query, method, idempotent, etag, ifMatch } = operation
  const shared = (name: string, parameter: Json) => components.reference('parameters', name, () => parameter)
  return [
    ...fieldsOf(params, 'path'),
    ...fieldsOf(query, 'query').map((field) => {
      const name = field.name as string
      const isShared = query?.properties[name] === (pageQuery as Record<string, TSchema>)[name]
      return isShared ? shared(name, field) : field
    }),
    ...(idempotent && method === 'POST' ? [shared('Idempotency-Key', IDEMPOTENCY_KEY)] : []),
    ...(etag && method === 'GET' ? [shared('If-None-Match', IF_NONE_MATCH)] : []),
    ...(ifMatch ? [shared('If-Match', IF_MATCH)] : []),
    shared('X-Request-Id', REQUEST_ID),
  ]
}

function fieldsOf(schema: TObject | undefined, place: 'path' | 'query'): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, examples, deprecated, ...rest } = plain(property)
    const required = place === 'path' || (schema?.required?.includes(name) && property.default === undefined)
    return {
      name,
      in: place,
      ...(required ? { required } : {}),
      description,
      ...(deprecated ? { deprecated } : {}),
      schema: rest,
      ...(Array.isArray(examples) ? { example: examples[0] } : {}),
    }
  })
}

function responsesOf(operation: Operation, components: Components): Json {
  const { status = 200, response, mediaType = 'application/json', responseExample, otherStatuses = {} } = operation
  const mayBeUnmodified = operation.etag && operation.method === 'GET'
  const others = operation.otherMediaTypes?.map((other) => [other, { schema: { type: 'string' } }]) ?? []
  const content = response
    ? {
        [mediaType]: { schema: plain(response), ...(responseExample ? { example: responseExample } : {}) },
        ...Object.fromEntries(others),
      }
    : undefined
  const success = {
    description: status === 204 ? 'Done; no content.' : 'Done.',
    ...headersOf(operation, components),
    ...(content ? { content } : {}),
  }
  const unmodified = { description: 'Not modified since the `ETag` given.' }
  return {
    [status]: success,
    ...(mayBeUnmodified ? { 304: components.reference('responses', 'NotModified', () => unmodified) } : {}),
    ...Object.fromEntries(Object.entries(otherStatuses).map(([code, description]) => [code, { description }])),
    ...errorResponses(operation, components),
  }
}

function headersOf(operation: Operation, components: Components): Json {
  const { etag, deprecatedQuery } = operation
  const header = (name: string, value: Json) => ({ [name]: components.reference('headers', name, () => value) })
  const headers = {
    ...(etag ? header('ETag', ETAG) : {}),
    ...(isPaged(operation) ? header('Link', LINK) : {}),
    ...(deprecatedQuery ? header('Deprecation', DEPRECATION) : {}),
  }
  return Object.keys(headers).length > 0 ? { headers } : {}
}

/** A schema as plain JSON, without the symbols of TypeBox. */
export const plain = (schema: TSchema): Json => JSON.parse(JSON.stringify(schema))
