import { expect, test } from 'bun:test'
import { readOptions } from './options.ts'

test('without options nothing is removed and nothing watched', () => {
  expect(readOptions([])).toEqual({ reset: false, watch: false, help: false })
})

test('options may be given together', () => {
  expect(readOptions(['--watch', '--reset'])).toEqual({ reset: true, watch: true, help: false })
})

test.each(['--rest', 'reset', '-x', '--reset=true', 'constructor', ''])('%p is refused with the usage', (word) => {
  expect(() => readOptions([word])).toThrow(/Unknown option[\s\S]*Usage: \.\/scripts\/dev/)
})
