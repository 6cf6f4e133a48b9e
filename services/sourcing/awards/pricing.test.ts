import { describe, expect, test } from 'bun:test'
import { totalOf } from '../money/money.ts'
import { breakFor, dueDateOf } from './pricing.ts'

const BREAKS = [
  { minQuantity: 1, unitPrice: '120.00', leadTimeDays: 21 },
  { minQuantity: 10, unitPrice: '95.50', leadTimeDays: 28 },
  { minQuantity: 100, unitPrice: '80.125', leadTimeDays: 45 },
]

describe('breakFor', () => {
  test.each([
    [1, '120.00'],
    [9, '120.00'],
    [10, '95.50'],
    [99, '95.50'],
    [100, '80.125'],
    [1_000_000_000, '80.125'],
  ])('%p pieces have the unit price %p, in any order of the breaks', (quantity, unitPrice) => {
    expect(breakFor(BREAKS, quantity)?.unitPrice).toBe(unitPrice)
    expect(breakFor(BREAKS.toReversed(), quantity)?.unitPrice).toBe(unitPrice)
  })

  test('a quantity below every break has no price', () => {
    expect(breakFor(BREAKS.slice(1), 9)).toBeUndefined()
    expect(breakFor([], 1)).toBeUndefined()
  })
})

describe('totalOf', () => {
  test.each([
    [{ unitPrice: '95.50', quantity: 10 }, '955.00'],
    [{ unitPrice: '95.50', quantity: 10, toolingCost: '1200', shippingCost: '49.9' }, '2204.90'],
    [{ unitPrice: '0.0001', quantity: 3, toolingCost: null, shippingCost: '0' }, '0.0003'],
    [{ unitPrice: '0', quantity: 5 }, '0.00'],
    [{ unitPrice: '999999999999.9999', quantity: 1_000_000_000, toolingCost: '0.0001' }, '999999999999999900000.0001'],
  ])('of %p is %p', (costs, total) => {
    expect(totalOf(costs)).toBe(total)
  })
})

describe('dueDateOf', () => {
  test.each([
    ['2026-02-27T23:59:59.999Z', 2, '2026-03-01'],
    ['2028-02-27T00:00:00.000Z', 2, '2028-02-29'],
    ['2026-12-31T12:00:00.000Z', 1, '2027-01-01'],
    ['2026-06-01T12:00:00.000Z', 0, '2026-06-01'],
  ])('%p and %p days is %p', (time, days, date) => {
    expect(dueDateOf(time, days)).toBe(date)
  })
})
