import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js'
import type { ErrorCode, OAuthError } from '../../../proto/errors.ts'
import type { Operation } from '../../../proto/http/operation.ts'
import { OPERATIONS } from '../../../proto/http/operations.ts'
import { isDate, isDateTime } from '../../../proto/http/times.ts'
import openapi from '../../../proto/openapi/marketplace.json' with { type: 'json' }
import { type DocumentedFormat, type ErrorFormat, errorFormatOf } from '../../kit/http/problem.ts'

/** The part of JSON Schema that our documents use. */
export interface Schema {
  $ref?: string
  type?: string
  enum?: string[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  required?: string[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  default?: unknown
  examples?: unknown[]
}

interface Parameter {
  name: string
  in: string
  required: boolean
  schema: Schema
  example?: unknown
}

interface Content {
  [mediaType: string]: { schema: Schema }
}

interface Reference {
  $ref: string
}

interface OperationObject {
  operationId: string
  parameters: (Parameter | Reference)[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { content?: Content } | Reference>
}

/** An operation of the OpenAPI document, with its contract. */
export interface Documented {
  id: string
  method: string
  path: string
  errorFormat: DocumentedFormat
  contract: Operation
  params: Parameter[]
  query: Parameter[]
  body: Schema | undefined
  bodyRequired: boolean
  statuses: ReadonlySet<number>
  /** The one status of a success. */
  success: number
  /** Violations of the response schema by the body of a success; none if the response is not JSON. */
  bodyViolations(body: unknown): string[]
}

const document = openapi as unknown as { paths: Record<string, Record<string, OperationObject>> }
const contracts = new Map(
  Object.values(OPERATIONS)
    .flat()
    .map((operation) => [operation.id, operation]),
)

// The document is registered as a schema, so that its references resolve.
const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true })
ajv
  .addFormat('int32', true)
  .addFormat('double', true)
  .addFormat('uri', true)
  .addFormat('date-time', isDateTime)
  .addFormat('date', isDate)
ajv.addSchema(closed(openapi) as object, 'document')

/**
 * The document with closed responses. Clients accept new fields; the tests accept only the described ones. Keys of
 * signatures follow an external format.
 */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (node === null || typeof node !== 'object') return node
  const inside = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === '/.well-known/jwks.json' ? value : closed(value)]),
  )
  const isOpen =
    typeof inside.properties === 'object' && !('additionalProperties' in inside) && inside.type === 'object'
  return isOpen ? { ...inside, additionalProperties: false } : inside
}

/** The violations of a schema of the document. It is compiled on first use, because all of them take seconds. */
function violationsAt(...pointer: string[]): (value: unknown) => string[] {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= ajv.compile({
      $ref: `document#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`,
    })
    if (validate(value)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }
}

/** The media type of the operations of OAuth. */
export const FORM = 'application/x-www-form-urlencoded'

/** Every operation of the document, in its order. */
export const DOCUMENTED: readonly Documented[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => documented(path, method, described)),
)

function documented(path: string, method: string, described: OperationObject): Documented {
  const { operationId, requestBody, responses } = described
  const parameters = described.parameters.map((each) => {
    const parameter = dereferenced<Parameter>(each)
    return { ...parameter, schema: { ...parameter.schema, ...resolved(parameter.schema) } }
  })
  const contract = contracts.get(operationId)
  if (!contract) throw new Error(`${operationId} is in the document, but not in the contract`)
  const success = Number(Object.keys(responses).find((status) => status.startsWith('2')))
  const isJson = contentOf(responses[success])?.['application/json'] !== undefined
  const bodyViolations = isJson
    ? violationsAt('paths', path, method, 'responses', String(success), 'content', 'application/json', 'schema')
    : () => []
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    errorFormat: errorFormatOf(path) as DocumentedFormat,
    contract,
    params: parameters.filter((parameter) => parameter.in === 'path'),
    query: parameters.filter((parameter) => parameter.in === 'query'),
    body: (requestBody?.content['application/json'] ?? requestBody?.content[FORM])?.schema,
    bodyRequired: requestBody?.required ?? false,
    statuses: new Set(Object.keys(responses).map(Number)),
    success,
    bodyViolations,
  }
}

/** The schema behind a reference; for a nullable schema, the other type. */
export function resolved(schema: Schema): Schema {
  if (Array.isArray(schema.type)) {
    const [type] = (schema.type as string[]).filter((name) => name !== 'null')
    return resolved({ ...schema, type, enum: schema.enum?.filter((value) => value !== null) } as Schema)
  }
  if (schema.$ref === undefined) return schema
  return resolved(dereferenced<Schema>({ $ref: schema.$ref }))
}

/** The part of the document behind a reference. */
function dereferenced<T extends object>(part: T | Reference): T {
  if (!('$ref' in part)) return part
  let node: unknown = openapi
  for (const name of part.$ref.slice(2).split('/')) node = (node as Record<string, unknown>)[name]
  return node as T
}

function contentOf(response: OperationObject['responses'][string] | undefined): Content | undefined {
  return response && dereferenced<{ content?: Content }>(response).content
}

const envelopes = {
  v1: violationsAt('components', 'schemas', 'Problem'),
  'v2.3': violationsAt('components', 'schemas', 'ErrorEnvelope'),
  oauth: violationsAt('components', 'schemas', 'OauthError'),
}

/** Violations of the error envelope of a format by the body of an error. */
export const envelopeViolations = (format: ErrorFormat, body: unknown): string[] =>
  format === 'scim' ? [] : envelopes[format](body)

/** The error code in any envelope; the word of OAuth in its. */
export const codeIn = (body: unknown): ErrorCode | OAuthError | undefined => {
  const { code, error } = (body ?? {}) as { code?: ErrorCode; error?: OAuthError | { code?: ErrorCode } }
  return code ?? (typeof error === 'string' ? error : error?.code)
}
