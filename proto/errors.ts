/**
 * Every error code. Codes are stable, because clients depend on them; titles can change. `/v1` and `/flows/v1` send it
 * as `code` of an `application/problem+json` body, `/v2.3` as `error.code`. `/flows/v1/oauth` sends the words of OAuth
 * instead, and `/scim/v2` those of SCIM. `cause` and `remedy` are Markdown of the page `/docs/errors`.
 */
export const ERRORS = {
  validation_error: {
    status: 400,
    title: 'The request is not valid',
    cause:
      'The body, the query or a combination of both is not allowed. `errors` (in `/v2.3` `details`) name each field; `/v2.3` answers 422.',
    remedy: 'Correct the named fields and send the request again.',
  },
  unauthorized: {
    status: 401,
    title: 'A valid bearer token is required',
    cause: 'The access token is missing, malformed or expired, or its session has ended.',
    remedy: 'Refresh the token, or sign in again. Send it as `Authorization: Bearer …`.',
  },
  invalid_credentials: {
    status: 401,
    title: 'The credentials are not valid',
    cause: 'The e-mail address, the password or the refresh token is wrong, or the refresh token was used before.',
    remedy: 'Sign in again with the password. After five failures in a minute, wait as `Retry-After` says.',
  },
  invalid_client: {
    status: 401,
    title: 'The client is unknown, or its authentication failed',
    cause:
      'The client id or the secret of a service account is wrong, or its key is revoked, expired or not allowed from this network.',
    remedy: 'Check the key; an administrator of the account can create a new one.',
  },
  unauthorized_client: {
    status: 400,
    title: 'The client cannot use this grant type',
    cause: 'A service account used a grant for people.',
    remedy: 'Use the grant `client_credentials`.',
  },
  unsupported_grant_type: {
    status: 400,
    title: 'The grant is not supported',
    cause: 'The token endpoint does not support this `grant_type`.',
    remedy: 'Use one of the grants that the message lists.',
  },
  forbidden: {
    status: 403,
    title: 'A permission is missing',
    cause: 'The caller lacks the permission named in `detail`, or the operation is not available during impersonation.',
    remedy: 'Ask an administrator of your organization for a role with the permission.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    cause: 'The record does not exist or is outside your scope (both get the same response), or the path is unknown.',
    remedy:
      'Check the id and the path. If the record belongs to another organization, ask it for access, such as an invitation to an RFQ.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    cause: 'The path exists but does not support this method.',
    remedy: 'Use a method listed in the `Allow` header.',
  },
  conflict: {
    status: 409,
    title: 'The request conflicts with the current state',
    cause:
      'The current state of the data does not allow the change, or another request changed it at the same time. `detail` or `errors` say which.',
    remedy: 'Read the record again, then decide whether the change still applies.',
  },
  illegal_transition: {
    status: 409,
    title: 'The record is not in a state that allows this',
    cause: "The record's state does not allow this step, or the record does not yet meet its requirements.",
    remedy: 'Read the record again. The guide "A trade" shows the states and their steps.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'The idempotency key was used for another request, or that request is still running',
    cause:
      'The `Idempotency-Key` was used for a request with another body, or the first request with it is still running.',
    remedy: 'Use a new key for each new request. While the first one is running, retry after a moment.',
  },
  email_taken: {
    status: 409,
    title: 'The e-mail address is taken',
    cause: 'Another user has this e-mail address.',
    remedy: 'Use another address.',
  },
  in_use: {
    status: 409,
    title: 'The record is in use',
    cause: 'Another record refers to this one, so it cannot be deleted.',
    remedy: 'Remove the references first, such as the role from its users.',
  },
  last_administrator: {
    status: 409,
    title: 'An organization needs at least one administrator',
    cause: 'The change would leave the organization without an active administrator.',
    remedy: 'Make another user an administrator first.',
  },
  mail_unavailable: {
    status: 409,
    title: 'This marketplace sends no mail',
    cause: 'The operator has configured no mail server.',
    remedy: 'Pass the link on yourself: send the request without `mail: true`.',
  },
  limit_reached: {
    status: 409,
    title: 'A limit was reached',
    cause: 'A fixed limit on records or repetitions was reached; `detail` names it.',
    remedy: 'Delete what is no longer needed, or wait, as `detail` says.',
  },
  subscription_required: {
    status: 409,
    title: 'The part needs a subscription',
    cause: 'The IP owner of the part requires a subscription, and your organization has none that is ACTIVE.',
    remedy:
      'Request one with `POST /flows/v1/subscriptions`, and repeat the request once the IP owner has accepted it.',
  },
  precondition_failed: {
    status: 412,
    title: 'The record has changed since it was read',
    cause: '`If-Match` names a version that is no longer the current one.',
    remedy: 'Read the record again, apply the change to the new version, and send its `ETag`.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    cause:
      'The body has more bytes than the operation accepts: 16 KiB for tokens, passwords and links, 1 MiB otherwise.',
    remedy: 'Send less per request. Upload files through an upload URL.',
  },
  uri_too_long: {
    status: 414,
    title: 'The URL is too long',
    cause: 'Path and query together exceed 16 KiB.',
    remedy: 'Request fewer values, or use a batch operation.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    cause: 'The body has no media type, or one that the operation does not accept.',
    remedy: 'Send `Content-Type: application/json`, or what `detail` names.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The range is outside the file',
    cause: 'The requested range begins after the end of the file.',
    remedy: 'Request a range within the size given in `Content-Range`.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    cause:
      'The organization, or the network of an anonymous request, sent too many requests; or too many sign-ins failed. The request had no effect.',
    remedy: 'Wait for the seconds in `Retry-After`, then repeat the request.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    cause: 'The headers exceed 64 KiB.',
    remedy: 'Send fewer or shorter headers, such as cookies, which the API does not read.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    cause: 'A defect of the marketplace.',
    remedy: 'Report it with the `requestId`. Read-only requests, and those with an `Idempotency-Key`, can be repeated.',
  },
  unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    cause: 'A dependency is down, or other requests are changing the same records.',
    remedy: 'Wait for the seconds in `Retry-After`, then repeat the request.',
  },
} as const satisfies Record<string, { status: number; title: string; cause: string; remedy: string }>

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

/** The values of `scimType` (RFC 7644, table 9) in the errors of `/scim/v2`. */
const SCIM_ERROR_TYPES = [
  'invalidFilter',
  'invalidPath',
  'invalidSyntax',
  'invalidValue',
  'mutability',
  'noTarget',
  'tooMany',
  'uniqueness',
] as const
export type ScimErrorType = (typeof SCIM_ERROR_TYPES)[number]

/** Codes that only `/flows/v1/oauth` has. */
export const OAUTH_CODES = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type'] as const

/** A problem of one field. `field` is its path with dots (`boundingBox.x`), or `body` for the whole body. */
export interface FieldError {
  field: string
  message: string
}

export const problem = (field: string, message: string): FieldError => ({ field, message })

/** Finds each id that a request has already named. */
export function duplicateFinder() {
  const seen = new Set<string>()
  return (field: string, id: string): FieldError[] => {
    if (seen.has(id)) return [problem(field, 'is a duplicate')]
    seen.add(id)
    return []
  }
}
