import { ERRORS, type ErrorCode, type OAuthError, type ScimErrorType } from '../../../proto/errors.ts'
import type { Refusal } from '../errors/refusal.ts'

/** The formats of an error: the two envelopes of the specification, and those of OAuth and SCIM. The path decides. */
export type ErrorFormat = 'v1' | 'v2.3' | 'oauth' | 'scim'

/** The formats of operations in the OpenAPI document. */
export type DocumentedFormat = Exclude<ErrorFormat, 'scim'>

const OAUTH_PATH = '/flows/v1/oauth'
const SCIM_PATH = '/scim/v2'
export const SCIM_MEDIA_TYPE = 'application/scim+json'

export function errorFormatOf(path: string): ErrorFormat {
  if (path.startsWith(`${OAUTH_PATH}/`)) return 'oauth'
  if (path === SCIM_PATH || path.startsWith(`${SCIM_PATH}/`)) return 'scim'
  return path.startsWith('/v2.3/') || path === '/v2.3' ? 'v2.3' : 'v1'
}

/** The status of a refusal. An invalid payload is 422 in `/v2.3`, and an invalid grant is 400 in OAuth (RFC 6749). */
export function statusOf(format: ErrorFormat, { code }: Refusal): number {
  if (format === 'v2.3' && code === 'validation_error') return 422
  return format === 'oauth' && code === 'invalid_credentials' ? 400 : ERRORS[code].status
}

const MEDIA_TYPES: Partial<Record<ErrorFormat, string>> = { v1: 'application/problem+json', scim: SCIM_MEDIA_TYPE }

export const mediaTypeOf = (format: ErrorFormat) => MEDIA_TYPES[format] ?? 'application/json'

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

const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The word of RFC 7644 (table 9), where it has one and the refusal names none. */
function scimTypeOf({ code, errors, scimType }: Refusal): ScimErrorType | undefined {
  if (scimType) return scimType
  if (code === 'email_taken') return 'uniqueness'
  if (code !== 'validation_error') return undefined
  const field = errors?.[0]?.field
  if (field === 'filter') return 'invalidFilter'
  return field === 'body' ? 'invalidSyntax' : 'invalidValue'
}

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
  if (format === 'scim') {
    const scimType = scimTypeOf(refusal)
    const status = String(statusOf(format, refusal))
    return JSON.stringify({ schemas: [SCIM_ERROR], status, ...(scimType ? { scimType } : {}), detail })
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
