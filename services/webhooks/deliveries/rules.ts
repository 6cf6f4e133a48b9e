import { DAY_MS, HOUR_MS, MINUTE_MS, pauseOf, SECOND_MS } from '../../../proto/durations.ts'

/** Pauses before the second attempt, the third and so on. */
const PAUSES_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
] as const
const MAX_ATTEMPTS = PAUSES_MS.length + 1

/** Pauses vary by this share, so that the deliveries of an outage are not retried all at once. */
const JITTER = 0.2
const MAX_RETRY_AFTER_MS = DAY_MS
/** Retention of events, deliveries and attempts. */
export const RETENTION_DAYS = 30
export const RETENTION_MS = RETENTION_DAYS * DAY_MS

/** The answer of a receiver. Without a status there was none. */
export interface Answer {
  status: number | null
  /** From `Retry-After`. */
  retryAfterMs?: number | undefined
}

export const isSuccess = ({ status }: Answer) => status !== null && status >= 200 && status < 300

/** Whether no scheduled attempt follows. */
export const isLastAttempt = (attempt: number): boolean => attempt >= MAX_ATTEMPTS

/** The pause after a scheduled attempt that is followed by another one. `random` is from 0 to 1. */
export function pauseAfter(attempt: number, { status, retryAfterMs }: Answer, random: number): number {
  const jittered = Math.round(pauseOf(PAUSES_MS, attempt) * (1 - JITTER + 2 * JITTER * random))
  const requested = status === 429 || status === 503 ? Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) : 0
  return Math.max(jittered, requested)
}

/** The pause that a `Retry-After` header asks for: seconds or a date. Undefined for anything else. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header.trim()) * SECOND_MS
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

const FAILING_MS = 72 * HOUR_MS
const MIN_FAILURES = 20

/** The failures of an endpoint since its last success, and the time of the first of them. */
interface Failing {
  failures: number
  failingSince: string | null
}

/** The reason to pause an endpoint; undefined for one that has not failed long or often enough. */
export function pauseReason({ failures, failingSince }: Failing, now: string): string | undefined {
  if (failingSince === null || failures < MIN_FAILURES) return undefined
  if (Date.parse(now) - Date.parse(failingSince) < FAILING_MS) return undefined
  return `All ${failures} attempts since ${failingSince} failed, not counting test events.`
}
