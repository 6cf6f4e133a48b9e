import type { FieldError } from '../../../proto/errors.ts'

export const REFRESH_IDLE_MS = 14 * 24 * 60 * 60 * 1000
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000
/** A client that lost the answer of a refresh may ask again this long; later, a used token is a stolen one. */
export const LOST_ANSWER_MS = 10_000

export interface TokenInput {
  grant_type: 'password' | 'refresh_token'
  username?: string
  password?: string
  refresh_token?: string
}

const NEEDED = { password: ['username', 'password'], refresh_token: ['refresh_token'] } as const

/** The fields that the grant needs and the request lacks. */
export const missingFields = (input: TokenInput): FieldError[] =>
  NEEDED[input.grant_type]
    .filter((field) => input[field] === undefined)
    .map((field) => ({ field, message: `is required when grant_type is ${input.grant_type}` }))

export type UsedToken = 'repeat' | 'reuse' | 'dead'

/** What it means when a refresh token comes that could not be rotated. */
export function judgeUsedToken(token: { usedAt: string | null; live: boolean } | undefined, nowMs: number): UsedToken {
  if (!token?.live || token.usedAt === null) return 'dead'
  return nowMs - Date.parse(token.usedAt) <= LOST_ANSWER_MS ? 'repeat' : 'reuse'
}
