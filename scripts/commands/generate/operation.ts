import type { TObject, TSchema } from '@sinclair/typebox'
import {
  isClosedToImpersonations,
  type Operation,
  type Tag,
  takesIdempotencyKey,
} from '../../../proto/http/operation.ts'
import { pageQuery } from '../../../proto/http/shapes.ts'
import type { Components, Json } from './components.ts'
import { errorResponses } from './errors.ts'
import { exampleOf } from './examples.ts'
import { commonHeaders, headersOf } from './headers.ts'
import { plain } from './published-schema.ts'

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

const BYTES: Json = { schema: { type: 'string', format: 'binary' } }

/** Whether an operation is not of the specification, which has only `/v1` and `/v2.3`. */
export const isAddition = ({ path }: Operation): boolean => !/^\/(v1|v2\.3)\//.test(path)

/** Generated clients make folders of tags. */
export const tagNameOf = ({ name }: Tag): string => name.toLowerCase().replaceAll(' ', '-')

/** Basic, or nothing: id and secret can be in the form. */
const CLIENT_SECURITY: Json[] = [{ ClientBasic: [] }, {}]

/** The OpenAPI description of an operation, derived from its contract. */
export function describe(operation: Operation, components: Components): Json {
  const { id, tag, summary, description, access, client, beta, transition } = operation
  return {
    operationId: id,
    tags: [tagNameOf(tag)],
    summary,
    description: [description, ...csvNote(operation), permissionNote(access), impersonationNote(operation)]
      .filter(Boolean)
      .join('\n\n'),
    security: securityOf(access, client !== undefined),
    ...(isAddition(operation) ? { 'x-addition': true } : {}),
    ...(beta ? { 'x-beta': true } : {}),
    ...(transition ? { 'x-transition': transition } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    parameters: parametersOf(operation, components),
    ...requestBodyOf(operation),
    responses: responsesOf(operation, components),
  }
}

/** A bearer token, however it was obtained, or a token of OAuth 2 with one of the permissions as its scope. */
function securityOf(access: Operation['access'], hasClient: boolean): Json[] {
  if (access === 'public') return hasClient ? CLIENT_SECURITY : []
  const scopes = access === 'token' ? [[]] : [access].flat().map((permission) => [permission])
  return [{ BearerAuth: [] }, ...scopes.map((scope) => ({ OAuth2: scope }))]
}

function permissionNote(access: Operation['access']): string {
  if (access === 'public') return 'Needs no token.'
  if (access === 'token') return ''
  const keys = typeof access === 'string' ? [access] : access
  return `Needs the permission ${keys.map((key) => `\`${key}\``).join(' or ')}.`
}

const csvNote = ({ csv }: Operation): string[] =>
  csv ? ['The body may also be sent as `text/csv` (UTF-8): it then counts as the field `csv`.'] : []

const impersonationNote = (operation: Operation): string =>
  isClosedToImpersonations(operation) ? 'Closed (403) while acting under an impersonation grant.' : ''

function requestBodyOf({ id, body, bodyOptional, acceptsBytes, form }: Operation): Json {
  if (acceptsBytes) return { requestBody: { required: true, content: { 'application/octet-stream': BYTES } } }
  if (!body) return {}
  const content = { schema: plain(body), example: bodyExampleOf(body, id) }
  return {
    requestBody: {
      required: !bodyOptional,
      // One media type, because generated clients have one function for each.
      content: { [form === 'required' ? 'application/x-www-form-urlencoded' : 'application/json']: content },
    },
  }
}

/** The example of a whole body, where it has one of its own, or that of all its fields. */
const bodyExampleOf = (body: TSchema, id: string): unknown =>
  (body.examples as unknown[] | undefined)?.[0] ?? exampleOf(body, id)

function parametersOf(operation: Operation, components: Components): Json[] {
  const { params, query, method, etag, ifMatch } = operation
  const shared = (name: string, parameter: Json) => components.reference('parameters', name, () => parameter)
  return [
    ...fieldsOf(params, 'path'),
    ...fieldsOf(query, 'query').map((field) => {
      const name = field.name as string
      const isShared = query?.properties[name] === (pageQuery as Record<string, TSchema>)[name]
      return isShared ? shared(name, field) : field
    }),
    ...(takesIdempotencyKey(operation) ? [shared('Idempotency-Key', IDEMPOTENCY_KEY)] : []),
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
  const content = response
    ? { [mediaType]: { schema: plain(response), ...(responseExample ? { example: responseExample } : {}) } }
    : undefined
  const headers = headersOf(operation, components)
  const success = {
    description: status === 204 ? 'Done; no content.' : 'Done.',
    headers,
    ...(content ? { content } : {}),
  }
  const unmodified = { description: 'Not modified since the `ETag` given.', headers: commonHeaders(components) }
  return {
    [status]: success,
    ...(mayBeUnmodified ? { 304: components.reference('responses', 'NotModified', () => unmodified) } : {}),
    ...Object.fromEntries(Object.entries(otherStatuses).map(([code, description]) => [code, { description, headers }])),
    ...errorResponses(operation, components),
  }
}
