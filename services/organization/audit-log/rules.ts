/** A period of time that includes both ends. */
export interface Period {
  from: string
  to: string
}

const EARLIEST_MS = 0
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * The period of a filter in the milliseconds in which entries are stored, within the times that Postgres can compare. An end
 * between two milliseconds moves inward.
 */
export function periodOf({ from, to }: { from?: string; to?: string }): Period {
  return {
    from: isoOf(from === undefined ? EARLIEST_MS : millisecondsOf(from) + (isBetweenMilliseconds(from) ? 1 : 0)),
    to: isoOf(to === undefined ? LATEST_MS : millisecondsOf(to)),
  }
}

const BEYOND_MILLISECONDS = /(\.\d{3})(\d+)/
const millisecondsOf = (time: string) => Date.parse(time.replace(BEYOND_MILLISECONDS, '$1'))
const isBetweenMilliseconds = (time: string) => /[1-9]/.test(BEYOND_MILLISECONDS.exec(time)?.[2] ?? '')
const isoOf = (ms: number) => new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS)).toISOString()

/** The start of a month (UTC), `months` after the month of a time, limited to the times that entries can have. */
export function monthOf(time: string, months = 0): string {
  const date = new Date(time)
  return isoOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
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
