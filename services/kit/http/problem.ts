import { ERRORS, type ErrorCode, type OAuthError } from '../../../proto/errors.ts'
import type { Refusal } from '../errors/refusal.ts'

/** The formats of an error: the two envelopes of the specification, and that of OAuth. The path decides which. */
export type ErrorFormat = 'v1' | 'v2.3' | 'oauth'

const OAUTH_PATH = '/flows/v1/oauth'

export function errorFormatOf(path: string): ErrorFormat {
  if (path.startsWith(`${OAUTH_PATH}/`)) return 'oauth'
  return path.startsWith('/v2.3/') || path === '/v2.3' ? 'v2.3' : 'v1'
}

/** The status of a refusal. An invalid payload is 422 in `/v2.3`, and an invalid grant is 400 in OAuth (RFC 6749). */
export function statusOf(format: ErrorFormat, { code }: Refusal): number {
  if (format === 'v2.3' && code === 'validation_error') return 422
  return format === 'oauth' && code === 'invalid_credentials' ? 400 : ERRORS[code].status
}

export const mediaTypeOf = (format: ErrorFormat) => (format === 'v1' ? 'application/problem+json' : 'application/json')

/** The words of OAuth for codes whose word is another one. Every other code is an invalid request. */
const OAUTH_WORDS: Partial<Record<ErrorCode, OAuthError>> = {
  invalid_client: 'invalid_client',
  unauthorized_client: 'unauthorized_client',
  unsupported_grant_type: 'unsupported_grant_type',
  invalid_credentials: 'invalid_grant',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal_error: 'server_error',
}

export const oauthErrorOf = (code: ErrorCode): OAuthError => OAUTH_WORDS[code] ?? 'invalid_request'

/** The characters that RFC 6749 allows in a description: printable ASCII without quotes and backslashes. */
export const oauthDescription = (text: string) => text.replaceAll('"', "'").replaceAll(/[^ !#-[\]-~]/g, '?')

/** Where the documentation of a marketplace explains a code. */
const errorPageOf = (publicUrl: string, code: ErrorCode) => `${publicUrl}/docs/errors#${code}`

interface Failed {
  path: string
  requestId: string
  publicUrl: string
}

export function errorBody(format: ErrorFormat, refusal: Refusal, { path, requestId, publicUrl }: Failed): string {
  const { code, detail, errors } = refusal
  if (format === 'oauth') {
    return JSON.stringify({ error: oauthErrorOf(code), error_description: oauthDescription(detail) })
  }
  if (format === 'v2.3') {
    return JSON.stringify({ error: { code, message: detail, ...(errors ? { details: errors } : {}) } })
  }
  return JSON.stringify({
    type: errorPageOf(publicUrl, code),
    title: ERRORS[code].title,
    status: statusOf(format, refusal),
    detail,
    instance: path,
    code,
    requestId,
    ...(errors ? { errors } : {}),
  })
}
