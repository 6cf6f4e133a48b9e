import { describe, expect, test } from 'bun:test'
import { key, line, listOf, optional, ordinal, word } from './cells.ts'

describe('a key', () => {
  test('is 1 to 64 of the characters that a path can hold', () => {
    for (const text of ['316l', 'en-10204-3.1', 'A_b', 'x'.repeat(64)]) expect(key.read(text)).toEqual({ value: text })
  })

  test('is nothing else', () => {
    for (const text of ['', 'PBF-LB/M', 'a b', 'ø', 'x'.repeat(65), 'a\n'])
      expect(key.read(text)).toHaveProperty('problem')
  })
})

describe('a line', () => {
  test('is any text up to its length', () => {
    expect(line(20).read('Größe "1" — ok')).toEqual({ value: 'Größe "1" — ok' })
  })

  test('is not empty, too long, more than one line, or broken UTF-8', () => {
    for (const text of ['', 'x'.repeat(21), 'two\nlines', 'tab\there', 'a\0b', 'gr\ufffd\ufffde']) {
      expect(line(20).read(text)).toHaveProperty('problem')
    }
  })
})

test('a word is one of its set and nothing else', () => {
  const type = word(['metal', 'wax'])
  expect(type.read('wax')).toEqual({ value: 'wax' })
  for (const text of ['', 'Wax', 'wood']) expect(type.read(text)).toEqual({ problem: 'is not one of metal, wax' })
})

test('an ordinal is a whole number from 1 on', () => {
  expect(ordinal.read('3')).toEqual({ value: 3 })
  for (const text of ['', '0', '-1', '1.0', '1e1', '0x1', ' 1', '12345678901']) {
    expect(ordinal.read(text)).toHaveProperty('problem')
  }
})

test('an optional cell may be empty, but not wrong', () => {
  expect(optional(key).read('')).toEqual({ value: null })
  expect(optional(key).read('a/b')).toHaveProperty('problem')
})

describe('a list', () => {
  test('keeps the order of its values, and may be empty', () => {
    expect(listOf(key).read('b; a')).toEqual({ value: ['b', 'a'] })
    expect(listOf(key).read('')).toEqual({ value: [] })
  })

  test('names the value that is wrong, and refuses repeated ones and too many', () => {
    expect(listOf(key).read('a;b/c')).toEqual({ problem: expect.stringContaining('"b/c"') })
    expect(listOf(key).read('a;;b')).toHaveProperty('problem')
    expect(listOf(key).read('a;b;a')).toEqual({ problem: 'names "a" more than once' })
    expect(listOf(key).read(Array.from({ length: 101 }, (_, index) => `k${index}`).join(';'))).toHaveProperty('problem')
  })
})

test('whatever a cell writes, it reads as the same value', () => {
  const values = [
    [key, 'nasa-6030-a'],
    [line(50), 'Nickel, "625"; or so'],
    [ordinal, 2],
    [optional(key), null],
    [listOf(line(10)), ['LPBF', 'SLM']],
    [listOf(key), []],
  ] as const
  for (const [cell, value] of values) expect(cell.read(cell.write(value))).toEqual({ value })
})
