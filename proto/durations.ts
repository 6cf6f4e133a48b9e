/** Durations in milliseconds. */
export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** A time of a clock in milliseconds as the API writes times. */
export const timeAt = (ms: number): string => new Date(ms).toISOString()
/** The time some milliseconds after another one, or before it. */
export const timeAfter = (time: string, ms: number): string => timeAt(Date.parse(time) + ms)
/** The day of a time. */
export const dayOf = (time: string): string => time.slice(0, 'YYYY-MM-DD'.length)

/** The pause after so many attempts. The last pause repeats. */
export const pauseOf = (pausesMs: readonly number[], attempts: number): number =>
  pausesMs[attempts - 1] ?? pausesMs.at(-1) ?? 0
