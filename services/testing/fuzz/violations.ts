import { ERRORS } from '../../../proto/errors.ts'
import { familyOf, mediaTypeOf } from '../../kit/http/problem.ts'
import { codeIn, type Documented, envelopeViolations } from '../operations/document.ts'
import type { Answer, HostileRequest } from './harness.ts'
import { MARK } from './texts.ts'

/** Headers that an error of this status has to bring. */
const NEEDED_HEADERS: Record<number, string> = { 401: 'www-authenticate', 405: 'allow', 429: 'retry-after' }

/**
 * What is wrong with an answer: a status that neither the document nor the test expects, an error outside of its
 * envelope or that repeats what was sent, a success that shows more or less than the document says.
 */
export function findViolations(
  operation: Documented,
  { method, target }: Pick<HostileRequest, 'method' | 'target'>,
  answer: Answer,
  alsoAllowed: readonly number[] = [],
): string[] {
  const { status, headers, text } = answer
  const faults: string[] = []
  const expected = (operation.statuses.has(status) && status < 500) || alsoAllowed.includes(status)
  if (!expected) faults.push(`status ${status}`)
  if (!headers.has('x-request-id')) faults.push('no X-Request-Id')
  if (status >= 400) faults.push(...errorViolations(method, target, answer))
  else if (status === operation.success && isJson(headers)) faults.push(...operation.bodyViolations(JSON.parse(text)))
  return faults.map((fault) => `${fault} (${status} ${text.slice(0, 200)})`)
}

const isJson = (headers: Headers) => headers.get('content-type') === 'application/json'

function errorViolations(method: string, target: string, { status, headers, text }: Answer): string[] {
  // Dot segments are gone before anybody asks for the path.
  const family = familyOf(new URL(`http://localhost${target}`).pathname)
  const faults: string[] = []
  const needed = NEEDED_HEADERS[status]
  if (needed && !headers.has(needed)) faults.push(`no ${needed}`)
  if (headers.get('content-type') !== mediaTypeOf(family)) faults.push(`is ${headers.get('content-type')}`)
  if (method === 'HEAD') return faults
  let body: { status?: number; requestId?: string; instance?: string } & Record<string, unknown>
  try {
    body = JSON.parse(text)
  } catch {
    return [...faults, 'no JSON']
  }
  faults.push(...envelopeViolations(family, body))
  const code = codeIn(body)
  const statusOfCode = code === 'validation_error' && family === 'v2.3' ? 422 : code && ERRORS[code]?.status
  if (statusOfCode !== status) faults.push(`code ${code} with ${status}`)
  if (family === 'v1' && body.status !== status) faults.push(`says ${body.status}`)
  if (family === 'v1' && body.requestId !== headers.get('x-request-id')) faults.push('another request id')
  // The path of a request is told by design; nothing else of it is.
  if (JSON.stringify({ ...body, instance: '' }).includes(MARK)) faults.push('repeats what was sent')
  return faults
}
