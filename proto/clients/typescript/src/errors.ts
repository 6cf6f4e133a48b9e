import type { ErrorCode, FieldError } from './generated/openapi.ts'

export interface Requested {
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
    const otherwise = isHtml(response) ? 'a page of HTML, which is not of the marketplace' : response.statusText
    super(`${request.method} ${pathname} answered ${response.status}: ${detail ?? otherwise}`)
    this.status = response.status
    this.code = code
    this.detail = detail
    this.fields = fields
    this.requestId = response.headers.get('x-request-id') ?? undefined
  }
}

/** A request without an answer: the network failed or the time was over, as `cause` tells. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'

  constructor({ method, url }: Requested, { cause, attempts }: { cause: unknown; attempts: number }) {
    // The query of a file has its signature.
    const { origin, pathname } = new URL(url)
    const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`
    super(`${method} ${origin}${pathname} has no answer after ${times}: ${reasonOf(cause)}`, { cause })
  }
}

/** Node has the reason of "fetch failed" in `cause`, whose message can be empty. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message || String(error)
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

/** Operations answer no HTML, so such a page is that of a proxy. Files of any kind are under `/files`. */
export const isHtml = ({ headers }: Pick<Answered, 'headers'>): boolean =>
  headers.get('content-type')?.startsWith('text/html') ?? false

/** The error of a response, whose body it reads. */
export async function errorOf(request: Requested, response: Answered): Promise<ApiError> {
  return new ApiError(request, response, await response.json().catch(() => undefined))
}
