import { expect, test } from 'bun:test'
import { decimalText, numbersIn, sumOf } from './app/amounts.ts'

test.each([
  [',', '98,5', '98.5'],
  [',', '98.5', '98.5'],
  [',', '1.234', '1234'],
  [',', '1.234,50', '1234.50'],
  [',', '1 234,50', '1234.50'],
  [',', '1234,5', '1234.5'],
  [',', '12.34.56', '12.34.56'],
  ['.', '1,234', '1234'],
  ['.', '1,234.50', '1234.50'],
  ['.', '118,25', '118.25'],
  ['.', "1'234.5", '1234.5'],
  ['.', 'ten', 'ten'],
])('with the decimal sign %p, %p is %p', (decimal, text, expected) => {
  expect(decimalText(text, decimal)).toBe(expected)
})

test('quantities keep what is no whole number, so that the marketplace refuses it', () => {
  expect(numbersIn('10, 50;100 200')).toEqual([10, 50, 100, 200])
  expect<unknown[]>(numbersIn('10; 1.500; fifty')).toEqual([10, '1.500', 'fifty'])
})

test('a sum of amounts is exact', () => {
  expect(sumOf(['131.5', 10], ['250', 1], ['80.25', 1])).toBe('1645.2500')
  expect(sumOf(['0.0001', 1], ['0.0002', 1])).toBe('0.0003')
  expect(sumOf(['999999999999.9999', 1_000_000_000])).toBe('999999999999999900000.0000')
})
