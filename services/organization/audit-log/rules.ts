/** Stretch of time in which entries are looked for; both ends belong to it. */
export interface Window {
  from: string
  to: string
}

const LONGEST_AGO_MS = 0
const LONGEST_AHEAD_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * A window in the milliseconds that entries are kept in: an inclusive end in between belongs to the entries on its inner
 * side. Times before or after every entry are brought to where Postgres can compare them.
 */
export function windowOf({ from, to }: { from?: string; to?: string }): Window {
  return {
    from: isoOf(from === undefined ? LONGEST_AGO_MS : millisecondsOf(from) + (isBetweenMilliseconds(from) ? 1 : 0)),
    to: isoOf(to === undefined ? LONGEST_AHEAD_MS : millisecondsOf(to)),
  }
}

const BEYOND_MILLISECONDS = /(\.\d{3})(\d+)/
const millisecondsOf = (time: string) => Date.parse(time.replace(BEYOND_MILLISECONDS, '$1'))
const isBetweenMilliseconds = (time: string) => /[1-9]/.test(BEYOND_MILLISECONDS.exec(time)?.[2] ?? '')
const isoOf = (ms: number) => new Date(Math.min(Math.max(ms, LONGEST_AGO_MS), LONGEST_AHEAD_MS)).toISOString()

/** The first moment of the month, so many months on. Months are those of UTC. */
export function monthOf(time: string, months = 0): string {
  const date = new Date(time)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)).toISOString()
}

/**
 * The months of a list that a window touches, newest first, in groups that are each four times as large as the one before: a full
 * page is mostly found in the first, and rare entries are few steps away.
 */
export function* stretchesOf(months: readonly string[], { from, to }: Window): Generator<Stretch> {
  const touched = [...new Set(months)]
    .filter((month) => month <= to && monthOf(month, 1) > from)
    .sort()
    .reverse()
  for (let first = 0, count = 1; first < touched.length; first += count, count *= 4) {
    const [newest = '', oldest = newest] = [touched[first], touched[Math.min(first + count, touched.length) - 1]]
    yield { low: oldest, high: monthOf(newest, 1) }
  }
}

export interface Stretch {
  /** The first moment that belongs to it. */
  low: string
  /** The first moment after it. */
  high: string
}
