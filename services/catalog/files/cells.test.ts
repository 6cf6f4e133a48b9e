import { describe, expect, test } from 'bun:test'
import { key, line, listOf, optional, ordinal, word, written } from './cells.ts'

describe('a key', () => {
  test('accepts 1 to 64 characters that fit into a path', () => {
    for (const text of ['316l', 'en-10204-3.1', 'A_b', 'x'.repeat(64)]) expect(key(text)).toEqual({ value: text })
  })

  test('refuses anything else', () => {
    for (const text of ['', 'PBF-LB/M', 'a b', 'ø', 'x'.repeat(65), 'a\n']) expect(key(text)).toHaveProperty('problem')
  })
})

describe('a line', () => {
  test('accepts any text up to its maximum length', () => {
    expect(line(20)('Größe "1" — ok')).toEqual({ value: 'Größe "1" — ok' })
  })

  test('refuses empty and too long texts, control characters and invalid UTF-8', () => {
    for (const text of ['', 'x'.repeat(21), 'two\nlines', 'tab\there', 'a\0b', 'gr\ufffd\ufffde']) {
      expect(line(20)(text)).toHaveProperty('problem')
    }
  })
})

test('a word accepts only the values of its set', () => {
  const type = word(['metal', 'wax'])
  expect(type('wax')).toEqual({ value: 'wax' })
  for (const text of ['', 'Wax', 'wood']) expect(type(text)).toEqual({ problem: 'is not one of metal, wax' })
})

test('an ordinal accepts whole numbers from 1', () => {
  expect(ordinal('3')).toEqual({ value: 3 })
  for (const text of ['', '0', '-1', '1.0', '1e1', '0x1', ' 1', '12345678901']) {
    expect(ordinal(text)).toHaveProperty('problem')
  }
})

test('an optional cell accepts an empty text and refuses an invalid one', () => {
  expect(optional(key)('')).toEqual({ value: null })
  expect(optional(key)('a/b')).toHaveProperty('problem')
})

describe('a list', () => {
  test('keeps the order of its values and can be empty', () => {
    expect(listOf(key)('b; a')).toEqual({ value: ['b', 'a'] })
    expect(listOf(key)('')).toEqual({ value: [] })
  })

  test('reports an invalid value, and refuses repeated values and more than 100', () => {
    expect(listOf(key)('a;b/c')).toEqual({ problem: expect.stringContaining('"b/c"') })
    expect(listOf(key)('a;;b')).toHaveProperty('problem')
    expect(listOf(key)('a;b;a')).toEqual({ problem: 'names "a" more than once' })
    expect(listOf(key)(Array.from({ length: 101 }, (_, index) => `k${index}`).join(';'))).toHaveProperty('problem')
  })
})

test('every written cell is read as the same value', () => {
  const values = [
    [key, 'nasa-6030-a'],
    [line(50), 'Nickel, "625"; or so'],
    [ordinal, 2],
    [optional(key), null],
    [listOf(line(10)), ['LPBF', 'SLM']],
    [listOf(key), []],
  ] as const
  for (const [cell, value] of values) expect(cell(written(value))).toEqual({ value })
})
