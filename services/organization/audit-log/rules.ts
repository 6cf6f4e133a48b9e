import { limitedTime, type Period } from '../../../proto/http/times.ts'

/** The start of a month (UTC), `months` after the month of a time, limited to the times that entries can have. */
export function monthOf(time: string, months = 0): string {
  const date = new Date(time)
  return limitedTime(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
}

/** The months from `low`, without `high`. */
export interface MonthRange {
  low: string
  high: string
}

/** The second range is one month too, because the current month has few entries when it begins. */
const MONTHS_OF_RANGES = [1, 1, 4, 16]

/**
 * The months of a period up to a time, newest first, in ranges of 1, 1, 4 and 16 months and the rest. The first range
 * includes everything after `now`.
 */
export function* monthRangesOf({ from, to }: Period, upTo: string, now: string): Generator<MonthRange> {
  const newest = upTo < to ? upTo : to
  let high = monthOf(newest, 1)
  let low = newest < now ? high : monthOf(now, 1)
  for (const months of MONTHS_OF_RANGES) {
    if (high <= from) return
    low = monthOf(low, -months)
    yield { low, high }
    high = low
  }
  if (high > from) yield { low: monthOf(from), high }
}
