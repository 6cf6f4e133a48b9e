import { DAY_MS, HOUR_MS, timeAt } from '../../../proto/durations.ts'

const DEFAULT_MS = HOUR_MS
const LONGEST_MS = DAY_MS

/** The expiry of a grant; undefined for one in the past or too far in the future. */
export function expiryOf(requested: string | undefined, nowMs: number): string | undefined {
  if (requested === undefined) return timeAt(nowMs + DEFAULT_MS)
  const endMs = Date.parse(requested)
  return endMs > nowMs && endMs <= nowMs + LONGEST_MS ? timeAt(endMs) : undefined
}
