import type { ErrorCode, FieldError } from './generated/openapi.ts'

interface Requested {
  method: string
  url: string
}

interface Answered {
  status: number
  statusText: string
  headers: { get(name: string): string | null }
  json(): Promise<unknown>
}

/** An error response, from any of the error formats of the marketplace. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /**
   * Stable word for the reason; that of OAuth at the token endpoint. Undefined for an answer that the marketplace did
   * not write.
   */
  readonly code: ErrorCode | (string & {}) | undefined
  /** The reason in words. */
  readonly detail: string | undefined
  /** The fields that are not valid. */
  readonly fields: readonly FieldError[]
  /** Id to quote when you report a problem. */
  readonly requestId: string | undefined

  constructor(request: Requested, response: Answered, body: unknown) {
    const { detail, code, fields } = explained(body)
    const { pathname } = new URL(request.url)
    super(`${request.method} ${pathname} answered ${response.status}: ${detail ?? response.statusText}`)
    this.status = response.status
    this.code = code
    this.detail = detail
    this.fields = fields
    this.requestId = response.headers.get('x-request-id') ?? undefined
  }
}

interface Explanation {
  detail?: string | undefined
  code?: string | undefined
  fields: readonly FieldError[]
}

/** The members of a problem (RFC 9457), of the envelope of `/v2.3`, or of an error of OAuth. */
function explained(body: unknown): Explanation {
  if (body === null || typeof body !== 'object') return { fields: [] }
  const { error, ...problem } = body as {
    error?: string | { code?: string; message?: string; details?: FieldError[] }
    error_description?: string
    detail?: string
    code?: string
    errors?: FieldError[]
  }
  if (typeof error === 'string') return { detail: problem.error_description, code: error, fields: [] }
  if (error) return { detail: error.message, code: error.code, fields: error.details ?? [] }
  return { detail: problem.detail, code: problem.code, fields: problem.errors ?? [] }
}

/** The error of a response, whose body it reads. */
export async function errorOf(request: Requested, response: Answered): Promise<ApiError> {
  return new ApiError(request, response, await response.json().catch(() => undefined))
}
