const YEAR_ONE_MS = Date.parse('0001-01-01T00:00:00Z')
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i

/**
 * Whether a text is an RFC 3339 time with an offset and a valid day that is in a year from 1 to 9999 in UTC, which
 * Postgres and JavaScript support. `Date.parse` alone accepts Feb 30, bare dates and the year 275760.
 */
export function isDateTime(text: string): boolean {
  const match = DATE_TIME.exec(text)
  if (!match) return false
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const inRange =
    month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth && hour <= 23 && minute <= 59 && second <= 59
  return inRange && YEAR_ONE_MS <= Date.parse(text) && Date.parse(text) <= LATEST_MS
}

/** A time as the API shows it, so that times compare as texts. */
export const utcOf = (time: string): string => new Date(time).toISOString()

/** Whether a text is a day of the calendar: `2026-04-29`. */
export const isDate = (text: string): boolean => isDateTime(`${text}T00:00:00Z`)

/** A period of time that includes both ends. */
export interface Period {
  from: string
  to: string
}

/** No stored time is earlier. */
const EARLIEST_MS = 0

/**
 * The period of a filter in the milliseconds in which times are stored, within the times that Postgres can compare. An
 * end between two milliseconds moves inward.
 */
export function periodOf({ from, to }: { from?: string; to?: string }): Period {
  return {
    from: limitedTime(from === undefined ? EARLIEST_MS : millisecondsOf(from) + (isBetweenMilliseconds(from) ? 1 : 0)),
    to: limitedTime(to === undefined ? LATEST_MS : millisecondsOf(to)),
  }
}

const BEYOND_MILLISECONDS = /(\.\d{3})(\d+)/
const millisecondsOf = (time: string) => Date.parse(time.replace(BEYOND_MILLISECONDS, '$1'))
const isBetweenMilliseconds = (time: string) => /[1-9]/.test(BEYOND_MILLISECONDS.exec(time)?.[2] ?? '')
/** A time within those that Postgres can compare. */
export const limitedTime = (ms: number) => new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS)).toISOString()
