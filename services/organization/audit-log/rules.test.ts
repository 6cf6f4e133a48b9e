import { describe, expect, test } from 'bun:test'
import { monthOf, stretchesOf, windowOf } from './rules.ts'

describe('a window', () => {
  test('is everything where neither end is given', () => {
    expect(windowOf({})).toEqual({ from: '1970-01-01T00:00:00.000Z', to: '9999-12-31T23:59:59.999Z' })
  })

  test('is of milliseconds in UTC: an end in between belongs to what lies inside', () => {
    const from = '2026-04-29T09:10:00.0001+02:00'
    expect(windowOf({ from, to: from })).toEqual({ from: '2026-04-29T07:10:00.001Z', to: '2026-04-29T07:10:00.000Z' })
    const whole = '2026-04-29T09:10:00.500000-11:30'
    expect(windowOf({ from: whole, to: whole })).toEqual({
      from: '2026-04-29T20:40:00.500Z',
      to: '2026-04-29T20:40:00.500Z',
    })
  })

  test('stays where Postgres has times, whatever the offset makes of it', () => {
    expect(windowOf({ from: '0001-01-01T00:00:00+23:59' }).from).toBe('1970-01-01T00:00:00.000Z')
    expect(windowOf({ to: '9999-12-31T23:59:59-23:59' }).to).toBe('9999-12-31T23:59:59.999Z')
  })
})

test('stretches are the months that are there, newest first, each of four times as many as the one before', () => {
  const months = ['2025-01', '2025-02', '2025-05', '2025-11', '2026-01', '2026-02'].map((m) => `${m}-01T00:00:00.000Z`)
  const everything = windowOf({})
  expect([...stretchesOf(months, everything)]).toEqual([
    { low: '2026-02-01T00:00:00.000Z', high: '2026-03-01T00:00:00.000Z' },
    { low: '2025-02-01T00:00:00.000Z', high: '2026-02-01T00:00:00.000Z' },
    { low: '2025-01-01T00:00:00.000Z', high: '2025-02-01T00:00:00.000Z' },
  ])
  expect([...stretchesOf([], everything)]).toEqual([])
  expect(monthOf('2026-01-31T23:59:59.999Z', 1)).toBe('2026-02-01T00:00:00.000Z')
})

test('months that a window does not touch are left out, those at its ends are not', () => {
  const months = ['2025-01', '2025-02', '2025-03', '2025-04'].map((m) => `${m}-01T00:00:00.000Z`)
  const window = { from: '2025-02-28T23:59:59.999Z', to: '2025-03-01T00:00:00.000Z' }
  expect([...stretchesOf(months, window)]).toEqual([
    { low: '2025-03-01T00:00:00.000Z', high: '2025-04-01T00:00:00.000Z' },
    { low: '2025-02-01T00:00:00.000Z', high: '2025-03-01T00:00:00.000Z' },
  ])
})
