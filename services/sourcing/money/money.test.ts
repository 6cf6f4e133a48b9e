import { describe, expect, test } from 'bun:test'
import { amountOf, compare, multiply, sum } from './money.ts'

describe('amountOf', () => {
  test.each([
    ['0', '0.00'],
    ['12', '12.00'],
    ['12.5', '12.50'],
    ['12.50', '12.50'],
    ['12.5000', '12.50'],
    ['12.1230', '12.123'],
    ['0.0001', '0.0001'],
    ['999999999999.9999', '999999999999.9999'],
    ['1000000000000000000000000', '1000000000000000000000000.00'],
  ])('%p is %p', (text, canonical) => {
    expect(amountOf(text)).toBe(canonical)
  })

  test.each(['', ' ', 'a', '1,5', '1e', 'NaN', 'Infinity', '0x10'])('%p is no amount', (text) => {
    expect(() => amountOf(text)).toThrow()
  })
})

describe('multiply', () => {
  test('is exact where floating-point numbers are not', () => {
    expect(0.1 * 3).not.toBe(0.3)
    expect(multiply('0.1', 3)).toBe('0.30')
    expect(multiply('999999999999.9999', 1_000_000_000)).toBe('999999999999999900000.00')
    expect(multiply('4.35', 100)).toBe('435.00')
  })

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%p is no number of pieces', (pieces) => {
    expect(() => multiply('1', pieces)).toThrow('not a number of pieces')
  })
})

test('sum adds without rounding, and without amounts is 0.00', () => {
  expect(sum('0.1', '0.2')).toBe('0.30')
  expect(sum('999999999999999900000.00', '0.0001')).toBe('999999999999999900000.0001')
  expect(sum()).toBe('0.00')
})

test('compare orders by value, not by text', () => {
  expect(compare('9', '10')).toBe(-1)
  expect(compare('10.00', '10')).toBe(0)
  expect(compare('0.0002', '0.0001')).toBe(1)
  expect(compare('9007199254740993.0', '9007199254740992.0')).toBe(1)
})
