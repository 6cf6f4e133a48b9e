import { expect, test } from 'bun:test'
import { Refusal } from '../errors/refusal.ts'
import { BodyBudget } from './body-budget.ts'

const refusalOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
  return 'none'
}

test('beyond the share of one client: 429, and others still reserve', () => {
  const budget = new BodyBudget({ maxBytes: 100, maxBytesPerClient: 40 })
  const reservation = budget.reserve('a', 30)
  expect(refusalOf(() => budget.reserve('a', 11))).toBe('rate_limited')
  expect(refusalOf(() => reservation.grow(11))).toBe('rate_limited')
  budget.reserve('b', 40)
  expect(budget.reservedBytes).toBe(70)
})

test('beyond the total: 503, until a reservation is released', () => {
  const budget = new BodyBudget({ maxBytes: 100, maxBytesPerClient: 60 })
  const first = budget.reserve('a', 60)
  expect(refusalOf(() => budget.reserve('b', 41))).toBe('unavailable')
  first.release()
  first.release()
  budget.reserve('b', 41)
  expect(budget.reservedBytes).toBe(41)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5])('%d bytes are refused, and nothing is reserved', (bytes) => {
  const budget = new BodyBudget({ maxBytes: 100, maxBytesPerClient: 60 })
  const reservation = budget.reserve('a', 10)
  expect(() => budget.reserve('a', bytes)).toThrow('bytes must be a whole number')
  expect(() => reservation.grow(bytes)).toThrow('bytes must be a whole number')
  expect(budget.reservedBytes).toBe(10)
  expect(refusalOf(() => budget.reserve('a', 51))).toBe('rate_limited')
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 0.5])('a limit of %d is refused', (limit) => {
  expect(() => new BodyBudget({ maxBytes: limit, maxBytesPerClient: 60 })).toThrow('maxBytes must be a whole number')
  expect(() => new BodyBudget({ maxBytes: 60, maxBytesPerClient: limit })).toThrow('maxBytesPerClient must be')
})

test('a released reservation cannot grow', () => {
  const budget = new BodyBudget({ maxBytes: 100, maxBytesPerClient: 60 })
  const reservation = budget.reserve('a', 10)
  reservation.release()
  expect(() => reservation.grow(1)).toThrow('released')
  expect(budget.reservedBytes).toBe(0)
})
