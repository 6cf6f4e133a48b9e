/**
 * Every error code. Codes are stable, because clients depend on them; titles can change. `/v1` and `/flows/v1` send it
 * as `code` of an `application/problem+json` body, `/v2.3` as `error.code`. `/flows/v1/oauth` sends the words of OAuth
 * instead.
 */
export const ERRORS = {
  validation_error: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'A valid bearer token is required' },
  invalid_credentials: { status: 401, title: 'The credentials are not valid' },
  invalid_client: { status: 401, title: 'The client is unknown, or its authentication failed' },
  unauthorized_client: { status: 400, title: 'The client may not use this grant' },
  unsupported_grant_type: { status: 400, title: 'The grant is not supported' },
  forbidden: { status: 403, title: 'A permission is missing' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  illegal_transition: { status: 409, title: 'The record is not in a state that allows this' },
  idempotency_conflict: {
    status: 409,
    title: 'The idempotency key was used for another request, or the first request is still running',
  },
  email_taken: { status: 409, title: 'The e-mail address is taken' },
  in_use: { status: 409, title: 'The record is in use' },
  last_administrator: { status: 409, title: 'An organization needs at least one administrator' },
  mail_unavailable: { status: 409, title: 'This marketplace sends no mail' },
  limit_reached: { status: 409, title: 'A limit was reached' },
  precondition_failed: { status: 412, title: 'The record has changed since it was read' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The URL is too long' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  range_not_satisfiable: { status: 416, title: 'The range is outside of the file' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal_error: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof ERRORS

/** The words of RFC 6749 (sections 4.1.2.1 and 5.2) for the errors of `/flows/v1/oauth`. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'temporarily_unavailable',
  'server_error',
] as const
export type OAuthError = (typeof OAUTH_ERRORS)[number]

/** Codes that only `/flows/v1/oauth` has. */
export const OAUTH_CODES = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type'] as const

/** A problem of one field. `field` is its path with dots (`boundingBox.x`), or `body` for the whole body. */
export interface FieldError {
  field: string
  message: string
}
