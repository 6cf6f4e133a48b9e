import { ERRORS, type ErrorCode } from '../../../proto/errors.ts'
import { type ErrorFormat, errorFormatOf, mediaTypeOf } from '../../kit/http/problem.ts'
import { codeIn, type Documented, envelopeViolations } from '../operations/document.ts'
import type { Answer, HostileRequest } from './harness.ts'
import { MARK } from './texts.ts'

/** Headers that an error of this status must have. */
const REQUIRED_HEADERS: Record<number, string> = { 401: 'www-authenticate', 405: 'allow', 429: 'retry-after' }

/**
 * Violations of the document by an answer: a status that neither the document nor the test expects, an error without
 * its envelope or with input of the request, a success that does not match its schema.
 */
export function findViolations(
  operation: Documented,
  { method, target }: Pick<HostileRequest, 'method' | 'target'>,
  answer: Answer,
  alsoAllowed: readonly number[] = [],
): string[] {
  const { status, headers, text } = answer
  const violations: string[] = []
  const expected = (operation.statuses.has(status) && status < 500) || alsoAllowed.includes(status)
  if (!expected) violations.push(`status ${status}`)
  if (!headers.has('x-request-id')) violations.push('no X-Request-Id')
  if (status >= 400) violations.push(...errorViolations(method, target, answer))
  else if (status === operation.success && isJson(headers))
    violations.push(...operation.bodyViolations(JSON.parse(text)))
  return violations.map((violation) => `${violation} (${status} ${text.slice(0, 200)})`)
}

const isJson = (headers: Headers) => headers.get('content-type') === 'application/json'

function errorViolations(method: string, target: string, { status, headers, text }: Answer): string[] {
  // URL parsing removes dot segments.
  const format = errorFormatOf(new URL(`http://localhost${target}`).pathname)
  const violations: string[] = []
  const required = REQUIRED_HEADERS[status]
  if (required && !headers.has(required)) violations.push(`no ${required}`)
  if (headers.get('content-type') !== mediaTypeOf(format))
    violations.push(`content type ${headers.get('content-type')}`)
  if (method === 'HEAD') return violations
  let body: { status?: number; requestId?: string; instance?: string } & Record<string, unknown>
  try {
    body = JSON.parse(text)
  } catch {
    return [...violations, 'not JSON']
  }
  violations.push(...envelopeViolations(format, body))
  const code = codeIn(body)
  if (!hasStatus(format, code, status)) violations.push(`code ${code} with ${status}`)
  if (format === 'v1' && body.status !== status) violations.push(`status ${body.status} in the body`)
  if (format === 'v1' && body.requestId !== headers.get('x-request-id')) violations.push('another request id')
  if (withoutIds(JSON.stringify({ ...body, instance: '' })).includes(MARK)) violations.push('repeats input')
  return violations
}

/** Whether a code may come with a status. Most words of OAuth stand for several statuses. */
function hasStatus(format: ErrorFormat, code: ReturnType<typeof codeIn>, status: number): boolean {
  if (format === 'oauth') return (code === 'invalid_client') === (status === 401)
  if (format === 'v2.3' && code === 'validation_error') return status === 422
  return code !== undefined && code in ERRORS && ERRORS[code as ErrorCode].status === status
}

/** An error contains the path of the request, an id or name that refers to nothing, and no other input. */
const withoutIds = (text: string) => text.replaceAll(/there is no [A-Za-z ]+ `[^`]{1,64}`/g, '')
