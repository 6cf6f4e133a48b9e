import { expect, test } from 'bun:test'
import { readOptions } from './options.ts'

test('no options: no reset, no watch', () => {
  expect(readOptions([])).toEqual({ reset: false, watch: false, verbose: false, help: false, accounts: false })
})

test('several options: all are set', () => {
  const expected = { reset: true, watch: true, verbose: true, help: false, accounts: false }
  expect(readOptions(['--watch', '--reset', '--verbose'])).toEqual(expected)
})

test('accounts: prints them', () => {
  expect(readOptions(['accounts'])).toMatchObject({ accounts: true })
})

test.each(['--rest', 'reset', '-x', '--reset=true', 'constructor', ''])('%p: refused with the usage', (word) => {
  expect(() => readOptions([word])).toThrow(/Unknown option[\s\S]*Usage: \.\/scripts\/dev/)
})
