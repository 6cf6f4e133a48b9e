import { describe, expect, test } from 'bun:test'
import { isLastAttempt, pauseAfter, pauseReason, retryAfterMs } from './rules.ts'

const SECOND = 1000
const MINUTE = 60_000
const HOUR = 3_600_000
const FAILED = { status: 500 }

describe('the pause after a failed attempt', () => {
  test.each([
    [1, 4 * SECOND, 5 * SECOND, 6 * SECOND],
    [2, 24 * SECOND, 30 * SECOND, 36 * SECOND],
    [3, 96 * SECOND, 2 * MINUTE, 144 * SECOND],
    [4, 8 * MINUTE, 10 * MINUTE, 12 * MINUTE],
    [5, 24 * MINUTE, 30 * MINUTE, 36 * MINUTE],
    [6, 96 * MINUTE, 2 * HOUR, 144 * MINUTE],
    [7, 4 * HOUR, 5 * HOUR, 6 * HOUR],
    [8, 8 * HOUR, 10 * HOUR, 12 * HOUR],
    [9, 672 * MINUTE, 14 * HOUR, 1008 * MINUTE],
    [10, 16 * HOUR, 20 * HOUR, 24 * HOUR],
    [11, 1152 * MINUTE, 24 * HOUR, 1728 * MINUTE],
  ])('%i is %i to %i to %i ms by chance', (attempt, shortest, middle, longest) => {
    expect([0, 0.5, 1].map((random) => pauseAfter(attempt, FAILED, random))).toEqual([shortest, middle, longest])
  })

  test.each([12, 13, 1000, 0, -1])('%i, which has none in the schedule, is 24 hours', (attempt) => {
    expect(pauseAfter(attempt, FAILED, 0.5)).toBe(24 * HOUR)
  })

  test.each([
    [1, false],
    [11, false],
    [12, true],
    [13, true],
  ])('%i is the last one: %p', (attempt, expected) => {
    expect(isLastAttempt(attempt)).toBe(expected)
  })

  test.each([
    [429, 60_000, 60_000],
    [503, 60_000, 60_000],
    [503, 25 * HOUR, 24 * HOUR],
    [503, 1000, 5000],
    [503, undefined, 5000],
    [500, 60_000, 5000],
    [200, 60_000, 5000],
    [410, undefined, 5000],
    [null, 60_000, 5000],
  ])('with status %p that asks for %p ms is %i ms', (status, asked, expected) => {
    expect(pauseAfter(1, { status, retryAfterMs: asked }, 0.5)).toBe(expected)
  })

  test.each([
    ['30', 30_000],
    [' 30 ', 30_000],
    ['0', 0],
    ['Sun, 26 Apr 2026 09:11:00 GMT', 60_000],
    ['Sun, 26 Apr 2026 09:09:00 GMT', 0],
    ['-30', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('Retry-After %p asks for %p ms', (header, expected) => {
    expect(retryAfterMs(header, Date.parse('2026-04-26T09:10:00Z'))).toBe(expected)
  })
})

describe('an endpoint that fails since 2026-04-26T09:10:00.000Z', () => {
  const since = '2026-04-26T09:10:00.000Z'
  const REASON = 'All 20 attempts since 2026-04-26T09:10:00.000Z failed, not counting test events.'
  test.each([
    [20, since, '2026-04-29T09:10:00.000Z', REASON],
    [20, since, '2026-04-29T09:09:59.999Z', undefined],
    [19, since, '2026-05-29T09:10:00.000Z', undefined],
    [20, null, '2026-05-29T09:10:00.000Z', undefined],
  ])('with %i failures since %p is at %s paused: %p', (failures, failingSince, now, expected) => {
    expect(pauseReason({ failures, failingSince }, now)).toBe(expected)
  })
})
