import { ERRORS, type ErrorCode, type FieldError } from '../../../proto/errors.ts'
import { isClosedToImpersonations, type Operation, takesIdempotencyKey } from '../../../proto/http/operation.ts'
import { noSuch } from '../../../proto/messages.ts'
import { refuse } from '../../../services/kit/errors/refusal.ts'
import {
  type DocumentedFormat,
  errorBody,
  errorFormatOf,
  mediaTypeOf,
  oauthErrorOf,
  statusOf,
} from '../../../services/kit/http/problem.ts'
import type { Components, Json } from './components.ts'
import { commonHeaders } from './headers.ts'

/** What the example of a code says beyond its title. */
const DETAILS: Partial<Record<ErrorCode, { detail?: string; errors?: FieldError[] }>> = {
  validation_error: { errors: [{ field: 'materialId', message: noSuch('material', 'unobtainium') }] },
  unauthorized: { detail: 'The access token has expired.' },
  forbidden: { detail: 'This needs the permission part:create.' },
  not_found: { detail: 'There is no such record, or it is outside your scope.' },
  conflict: { errors: [{ field: 'name', message: 'is the name of another role' }] },
  illegal_transition: { detail: 'The part is ARCHIVED, not PUBLISHED.' },
  idempotency_conflict: { detail: 'This Idempotency-Key was used for another request.' },
  email_taken: { errors: [{ field: 'email', message: 'is taken' }] },
  limit_reached: { detail: 'The part would have more than 200 files.' },
  precondition_failed: { detail: 'The record has changed since you read it. Read it again.' },
  method_not_allowed: { detail: 'PUT is not allowed here. Allowed: GET, HEAD, OPTIONS.' },
  payload_too_large: { detail: 'A body may have at most 1048576 bytes.' },
  unsupported_media_type: { detail: 'Send the body as application/json.' },
  internal_error: { detail: 'Something went wrong on our side. Quote the request id when you report this.' },
  unavailable: { detail: 'A dependency is down; try again in a moment.' },
}

/** Examples of the other formats where they differ. */
const OTHER_DETAILS: Record<Exclude<DocumentedFormat, 'v1'>, Partial<typeof DETAILS>> = {
  'v2.3': {
    validation_error: { errors: [{ field: 'grant_type', message: 'must be one of password, refresh_token' }] },
    forbidden: { detail: 'This needs the permission webhook:manage.' },
  },
  oauth: {
    validation_error: { detail: 'grant_type: is required' },
    invalid_credentials: { detail: 'The credentials are not valid.' },
    invalid_client: { detail: 'The client id or the secret is wrong.' },
    unauthorized_client: { detail: 'Service accounts use the grant client_credentials.' },
    unsupported_grant_type: { detail: 'grant_type must be one of client_credentials, password, refresh_token' },
    method_not_allowed: { detail: 'PUT is not allowed here. Allowed: GET, HEAD, OPTIONS.' },
    payload_too_large: { detail: 'A body may have at most 16384 bytes.' },
    unsupported_media_type: { detail: 'Send the body as application/x-www-form-urlencoded.' },
  },
}

const SCHEMAS: Record<DocumentedFormat, string> = { v1: 'Problem', 'v2.3': 'ErrorEnvelope', oauth: 'OauthError' }

/** Headers that every response of a status has. */
const HEADERS: Record<number, { name: string; description: string; example: string }> = {
  401: {
    name: 'WWW-Authenticate',
    description: 'Tells a missing token (`Bearer`) from a malformed, an expired and any other invalid one (RFC 6750).',
    example: 'Bearer error="invalid_token", error_description="The access token has expired."',
  },
  405: { name: 'Allow', description: 'The methods that the path has.', example: 'GET, HEAD, OPTIONS' },
  429: { name: 'Retry-After', description: 'Seconds after which to try again.', example: '1' },
  503: { name: 'Retry-After', description: 'Seconds after which to try again.', example: '1' },
}

const BASIC_CHALLENGE = {
  name: 'WWW-Authenticate',
  description: 'The challenge of RFC 7617 with the error, for a client that sent `Authorization`.',
  example:
    'Basic realm="marketplace", charset="UTF-8", error="invalid_client", error_description="The client id or the secret is wrong."',
}

/** One shared response for each status of the operation's refusals, with an example of each code that it can have. */
export function errorResponses(operation: Operation, components: Components): Json {
  const format = errorFormatOf(operation.path) as DocumentedFormat
  const codes = new Map<number, ErrorCode[]>()
  for (const code of codesOf(operation)) {
    const status = statusOf(format, refuse(code))
    codes.set(status, [...(codes.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...codes].map(([status, named]) => [
      status,
      components.reference('responses', nameOf(format, named), () => errorResponse(format, status, named, components)),
    ]),
  )
}

function errorResponse(
  format: DocumentedFormat,
  status: number,
  codes: readonly ErrorCode[],
  components: Components,
): Json {
  const schema = { $ref: `#/components/schemas/${SCHEMAS[format]}` }
  const isBasic = format === 'oauth' && status === 401
  const header = isBasic ? BASIC_CHALLENGE : HEADERS[status]
  const wordOf = (code: ErrorCode) => (format === 'oauth' ? oauthErrorOf(code) : code)
  const examples = codes.map((code) => [
    wordOf(code),
    components.reference('examples', nameOf(format, [code]), () => errorExample(format, code)),
  ])
  return {
    description: codes.map((code) => `${ERRORS[code].title} (\`${wordOf(code)}\`).`).join(' '),
    headers: {
      ...(header ? { [header.name]: headerReference(header, components, isBasic) } : {}),
      ...commonHeaders(components),
    },
    content: { [mediaTypeOf(format)]: { schema, examples: Object.fromEntries(examples) } },
  }
}

const headerReference = (
  { name, description, example }: (typeof HEADERS)[number],
  components: Components,
  isBasic: boolean,
) =>
  components.reference('headers', isBasic ? `${name}-Basic` : name, () => ({
    description,
    schema: { type: 'string' },
    example,
  }))

/** The request of every example. */
const EXAMPLE = { path: '/v1/parts', requestId: 'req-7f3a', publicUrl: 'https://marketplace.example.com' }

function errorExample(format: DocumentedFormat, code: ErrorCode): Json {
  const details = (format === 'v1' ? undefined : OTHER_DETAILS[format][code]) ?? DETAILS[code]
  const text = errorBody(format, refuse(code, details), EXAMPLE)
  return { summary: ERRORS[code].title, value: JSON.parse(text) }
}

const SUFFIXES: Record<DocumentedFormat, string> = { v1: '', 'v2.3': 'V23', oauth: 'OAuth' }

/** The name of a shared response or example. The formats have the same codes. */
function nameOf(format: DocumentedFormat, codes: readonly ErrorCode[]): string {
  const words = codes.map((code) => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  return `${words.join('Or')}${SUFFIXES[format]}`
}

function codesOf(operation: Operation): Set<ErrorCode> {
  const { access, params, etag, ifMatch, client, refusals } = operation
  const when = (condition: unknown, ...codes: ErrorCode[]) => (condition ? codes : [])
  const guarded = access !== 'public'
  // An operation without a body refuses the fields of one, so it also has these errors.
  const body = operation.body ?? (operation.method !== 'GET' && !operation.acceptsBytes)
  return new Set<ErrorCode>([
    // Every operation refuses unknown query parameters, and every path other methods and long lines.
    'validation_error',
    'method_not_allowed',
    'uri_too_long',
    'headers_too_large',
    ...when(guarded, 'unauthorized'),
    ...when(client, 'invalid_client'),
    ...when((guarded && access !== 'token') || isClosedToImpersonations(operation), 'forbidden'),
    ...when(params && (etag !== undefined || guarded), 'not_found'),
    ...when(takesIdempotencyKey(operation), 'idempotency_conflict'),
    ...when(ifMatch, 'precondition_failed'),
    ...when(body, 'payload_too_large', 'unsupported_media_type'),
    'rate_limited',
    ...(refusals ?? []),
    'internal_error',
    'unavailable',
  ])
}
