import { DAY_MS } from '../../../proto/durations.ts'
import { type FieldError, problem } from '../../../proto/errors.ts'
import type { createToken } from '../../../proto/http/identity/tokens.ts'
import type { BodyOf } from '../../../proto/http/operation.ts'

export const REFRESH_IDLE_MS = 14 * DAY_MS
export const SESSION_MS = 30 * DAY_MS
/** Time within which a used token returns the same successor again. Later, its reuse counts as theft. */
const LOST_RESPONSE_MS = 10_000

const NEEDED = { password: ['username', 'password'], refresh_token: ['refresh_token'] } as const

/** The fields that the grant type requires and the request lacks. */
export const missingFields = (input: BodyOf<typeof createToken>): FieldError[] =>
  NEEDED[input.grant_type]
    .filter((field) => !input[field])
    .map((field) => problem(field, `is required when grant_type is ${input.grant_type}`))

type UsedToken = 'repeat' | 'reuse' | 'invalid'

/** The meaning of a refresh token that could not be rotated. */
export function classifyUsedToken(
  token: { usedAt: string | null; live: boolean } | undefined,
  nowMs: number,
): UsedToken {
  if (!token?.live || token.usedAt === null) return 'invalid'
  return nowMs - Date.parse(token.usedAt) <= LOST_RESPONSE_MS ? 'repeat' : 'reuse'
}
