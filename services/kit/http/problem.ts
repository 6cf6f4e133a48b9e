import { ERRORS } from '../../../proto/errors.ts'
import type { Refusal } from '../errors/refusal.ts'

/** The two error envelopes of the specification. The path alone decides between them. */
export type Family = 'v1' | 'v2.3'

export const familyOf = (path: string): Family => (path.startsWith('/v2.3/') || path === '/v2.3' ? 'v2.3' : 'v1')

/** The status of a refusal. Only an invalid payload differs: 422 in `/v2.3`, 400 elsewhere. */
export const statusOf = (family: Family, { code }: Refusal): number =>
  family === 'v2.3' && code === 'validation_error' ? 422 : ERRORS[code].status

export const mediaTypeOf = (family: Family) => (family === 'v2.3' ? 'application/json' : 'application/problem+json')

export function errorBody(family: Family, refusal: Refusal, path: string, requestId: string): string {
  const { code, detail, errors } = refusal
  if (family === 'v2.3') {
    return JSON.stringify({ error: { code, message: detail, ...(errors ? { details: errors } : {}) } })
  }
  return JSON.stringify({
    type: `urn:marketplace:error:${code}`,
    title: ERRORS[code].title,
    status: statusOf(family, refusal),
    detail,
    instance: path,
    code,
    requestId,
    ...(errors ? { errors } : {}),
  })
}
