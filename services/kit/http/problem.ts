import { ERRORS } from '../../../proto/errors.ts'
import type { Refusal } from '../errors/refusal.ts'

/** The versions of the API, each with its own error envelope. */
export type ApiVersion = 'v1' | 'v2.3'

/** The version of a path. Additions have the envelope of v1. */
export const apiVersionOf = (path: string): ApiVersion =>
  path.startsWith('/v2.3/') || path === '/v2.3' ? 'v2.3' : 'v1'

/** The status of a refusal. Only an invalid payload differs: 422 in `/v2.3`, 400 elsewhere. */
export const statusOf = (version: ApiVersion, { code }: Refusal): number =>
  version === 'v2.3' && code === 'validation_error' ? 422 : ERRORS[code].status

export const mediaTypeOf = (version: ApiVersion) =>
  version === 'v2.3' ? 'application/json' : 'application/problem+json'

export function errorBody(version: ApiVersion, refusal: Refusal, path: string, requestId: string): string {
  const { code, detail, errors } = refusal
  if (version === 'v2.3') {
    return JSON.stringify({ error: { code, message: detail, ...(errors ? { details: errors } : {}) } })
  }
  return JSON.stringify({
    type: `urn:marketplace:error:${code}`,
    title: ERRORS[code].title,
    status: statusOf(version, refusal),
    detail,
    instance: path,
    code,
    requestId,
    ...(errors ? { errors } : {}),
  })
}
