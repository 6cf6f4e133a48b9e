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

/** A budget whose bodies count how often they had to give up. */
function budgetOf(maxBytes: number, maxBytesPerClient: number) {
  const budget = new BodyBudget({ maxBytes, maxBytesPerClient })
  const givenUp: string[] = []
  const reserve = (client: string, bytes: number, name = client) =>
    budget.reserve(client, bytes, ({ code }) => givenUp.push(`${name}: ${code}`))
  return { budget, givenUp, reserve }
}

test('beyond the share of one client: 429, and others still reserve', () => {
  const { budget, givenUp, reserve } = budgetOf(100, 40)
  const reservation = reserve('a', 30)
  expect(refusalOf(() => reserve('a', 11))).toBe('rate_limited')
  expect(refusalOf(() => reservation.grow(11))).toBe('rate_limited')
  reserve('b', 40)
  expect(budget.reservedBytes).toBe(70)
  expect(givenUp).toEqual([])
})

test('beyond the total: 503 for a client that would have as much as every other, until a reservation is released', () => {
  const { budget, givenUp, reserve } = budgetOf(100, 60)
  const first = reserve('a', 60)
  expect(refusalOf(() => reserve('b', 60))).toBe('unavailable')
  first.release()
  first.release()
  reserve('b', 60)
  expect(budget.reservedBytes).toBe(60)
  expect(givenUp).toEqual([])
})

test('beyond the total, the oldest requests of the heaviest client are aborted for a lighter one', () => {
  const { budget, givenUp, reserve } = budgetOf(100, 60)
  const oldest = reserve('a', 20, 'first of a')
  reserve('a', 20, 'second of a')
  reserve('a', 10, 'third of a')
  reserve('b', 45)
  const growing = reserve('c', 5)
  growing.grow(15)
  expect([givenUp, budget.reservedBytes]).toEqual([['first of a: unavailable'], 95])
  // Its read goes on until it notices.
  expect(() => oldest.grow(1)).toThrow('released')
  oldest.release()
  expect(budget.reservedBytes).toBe(95)
  growing.grow(15)
  expect([givenUp.at(-1), budget.reservedBytes]).toEqual(['b: unavailable', 65])
})

test('one body larger than the total is 503', () => {
  const { budget, reserve } = budgetOf(10, 60)
  expect(refusalOf(() => reserve('a', 11))).toBe('unavailable')
  expect(budget.reservedBytes).toBe(0)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5])('%d bytes are refused, and nothing is reserved', (bytes) => {
  const { budget, reserve } = budgetOf(100, 60)
  const reservation = reserve('a', 10)
  expect(() => reserve('a', bytes)).toThrow('bytes must be a whole number')
  expect(() => reservation.grow(bytes)).toThrow('bytes must be a whole number')
  expect(budget.reservedBytes).toBe(10)
  expect(refusalOf(() => reserve('a', 51))).toBe('rate_limited')
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 0.5])('a limit of %d is refused', (limit) => {
  expect(() => new BodyBudget({ maxBytes: limit, maxBytesPerClient: 60 })).toThrow('maxBytes must be a whole number')
  expect(() => new BodyBudget({ maxBytes: 60, maxBytesPerClient: limit })).toThrow('maxBytesPerClient must be')
})

test('a released reservation cannot grow', () => {
  const { budget, reserve } = budgetOf(100, 60)
  const reservation = reserve('a', 10)
  reservation.release()
  expect(() => reservation.grow(1)).toThrow('released')
  expect(budget.reservedBytes).toBe(0)
})
