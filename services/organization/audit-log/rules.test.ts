import { describe, expect, test } from 'bun:test'
import { periodOf } from '../../../proto/http/times.ts'
import { monthOf, monthRangesOf } from './rules.ts'

describe('a period', () => {
  test('without ends is all times', () => {
    expect(periodOf({})).toEqual({ from: '1970-01-01T00:00:00.000Z', to: '9999-12-31T23:59:59.999Z' })
  })

  test('is in milliseconds of UTC; an end between two milliseconds moves inward', () => {
    const from = '2026-04-29T09:10:00.0001+02:00'
    expect(periodOf({ from, to: from })).toEqual({ from: '2026-04-29T07:10:00.001Z', to: '2026-04-29T07:10:00.000Z' })
    const whole = '2026-04-29T09:10:00.500000-11:30'
    expect(periodOf({ from: whole, to: whole })).toEqual({
      from: '2026-04-29T20:40:00.500Z',
      to: '2026-04-29T20:40:00.500Z',
    })
  })

  test('stays within the times of Postgres, whatever its offset', () => {
    expect(periodOf({ from: '0001-01-01T00:00:00+23:59' }).from).toBe('1970-01-01T00:00:00.000Z')
    expect(periodOf({ to: '9999-12-31T23:59:59-23:59' }).to).toBe('9999-12-31T23:59:59.999Z')
  })
})

describe('month ranges', () => {
  const now = '2026-02-10T12:00:00.000Z'
  const month = (name: string) => `${name}-01T00:00:00.000Z`
  const NEWEST = '9999-12-31T23:59:59.999Z'

  test('of everything are the current month with the future, 1 month, 4 months, 16 months and the rest', () => {
    expect([...monthRangesOf(periodOf({}), NEWEST, now)]).toEqual([
      { low: month('2026-02'), high: NEWEST },
      { low: month('2026-01'), high: month('2026-02') },
      { low: month('2025-09'), high: month('2026-01') },
      { low: month('2024-05'), high: month('2025-09') },
      { low: month('1970-01'), high: month('2024-05') },
    ])
    expect(monthOf('2026-01-31T23:59:59.999Z', 1)).toBe(month('2026-02'))
  })

  test('begin with the month of the end of the period or of the last key, and end with the month of its start', () => {
    const period = { from: '2025-02-28T23:59:59.999Z', to: '2025-03-01T00:00:00.000Z' }
    const expected = [
      { low: month('2025-03'), high: month('2025-04') },
      { low: month('2025-02'), high: month('2025-03') },
    ]
    expect([...monthRangesOf(period, NEWEST, now)]).toEqual(expected)
    expect([...monthRangesOf({ ...period, to: NEWEST }, '2025-03-31T00:00:00.000Z', now)]).toEqual(expected)
    expect([...monthRangesOf({ from: NEWEST, to: month('2025-03') }, NEWEST, now)]).toEqual([])
  })
})
