import { ERRORS, type ErrorCode, type FieldError } from '../../proto/errors.ts'
import type { Operation } from '../../proto/http/operation.ts'
import { noSuch } from '../../proto/messages.ts'
import { refuse } from '../../services/kit/errors/refusal.ts'
import { errorBody, type ApiVersion, apiVersionOf, mediaTypeOf, statusOf } from '../../services/kit/http/problem.ts'
import type { Components, Json } from './components.ts'

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
  payload_too_large: { detail: 'A body may have at most 1048576 bytes.' },
  unsupported_media_type: { detail: 'Send the body as application/json.' },
  internal_error: { detail: 'Something went wrong on our side. Quote the request id when you report it.' },
  unavailable: { detail: 'A dependency is down; try again in a moment.' },
}

const EXAMPLE_OF_V2_3: Partial<typeof DETAILS> = {
  validation_error: { errors: [{ field: 'grant_type', message: 'must be one of password, refresh_token' }] },
  forbidden: { detail: 'This needs the permission webhook:manage.' },
}

/** Headers that every response of a status has. */
const HEADERS: Record<number, { name: string; description: string; example: string }> = {
  401: {
    name: 'WWW-Authenticate',
    description: 'Tells a missing token (`Bearer`) from a malformed, an expired and any other invalid one (RFC 6750).',
    example: 'Bearer error="invalid_token", error_description="The access token has expired."',
  },
  429: { name: 'Retry-After', description: 'Seconds after which to try again.', example: '1' },
  503: { name: 'Retry-After', description: 'Seconds after which to try again.', example: '1' },
}

/** One shared response for each status of the operation's refusals, with an example of each code that it can have. */
export function errorResponses(operation: Operation, components: Components): Json {
  const version = apiVersionOf(operation.path)
  const codes = new Map<number, ErrorCode[]>()
  for (const code of codesOf(operation)) {
    const status = statusOf(version, refuse(code))
    codes.set(status, [...(codes.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...codes].map(([status, named]) => [
      status,
      components.reference('responses', nameOf(version, named), () => errorResponse(version, status, named, components)),
    ]),
  )
}

function errorResponse(version: ApiVersion, status: number, codes: readonly ErrorCode[], components: Components): Json {
  const schema = { $ref: `#/components/schemas/${version === 'v1' ? 'Problem' : 'ErrorEnvelope'}` }
  const header = HEADERS[status]
  const examples = codes.map((code) => [
    code,
    components.reference('examples', nameOf(version, [code]), () => errorExample(version, code)),
  ])
  return {
    description: codes.map((code) => `${ERRORS[code].title} (\`${code}\`).`).join(' '),
    ...(header ? { headers: { [header.name]: headerReference(header, components) } } : {}),
    content: { [mediaTypeOf(version)]: { schema, examples: Object.fromEntries(examples) } },
  }
}

const headerReference = ({ name, description, example }: (typeof HEADERS)[number], components: Components) =>
  components.reference('headers', name, () => ({ description, schema: { type: 'string' }, example }))

function errorExample(version: ApiVersion, code: ErrorCode): Json {
  const details = (version === 'v2.3' ? EXAMPLE_OF_V2_3[code] : undefined) ?? DETAILS[code]
  const text = errorBody(version, refuse(code, details), '/v1/parts', 'req-7f3a')
  return { summary: ERRORS[code].title, value: JSON.parse(text) }
}

/** The name of a shared response or example. Both families have the same codes, in different envelopes. */
function nameOf(version: ApiVersion, codes: readonly ErrorCode[]): string {
  const words = codes.map((code) => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  return `${words.join('Or')}${version === 'v1' ? '' : 'V23'}`
}

function codesOf(operation: Operation): Set<ErrorCode> {
  const { access, params, etag, ifMatch, idempotent, changesAuthority, refusals } = operation
  const when = (condition: unknown, ...codes: ErrorCode[]) => (condition ? codes : [])
  const guarded = access !== 'public'
  // An operation without a body refuses the fields of one, so it has these errors, too.
  const body = operation.body ?? (operation.method !== 'GET' && !operation.acceptsBytes)
  return new Set<ErrorCode>([
    // Every operation refuses unknown query parameters.
    'validation_error',
    ...when(guarded, 'unauthorized'),
    ...when((guarded && access !== 'token') || changesAuthority, 'forbidden'),
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
