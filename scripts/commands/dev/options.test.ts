import { expect, test } from 'bun:test'
import { readOptions } from './options.ts'

test('no options: no reset, no watch', () => {
  expect(readOptions([])).toEqual({
    reset: false,
    watch: false,
    verbose: false,
    help: false,
    accounts: false,
    env: false,
  })
})

test('several options: all are set', () => {
  const expected = { reset: true, watch: true, verbose: true, help: false, accounts: false, env: false }
  expect(readOptions(['--watch', '--reset', '--verbose'])).toEqual(expected)
})

test('accounts: prints them', () => {
  expect(readOptions(['accounts'])).toMatchObject({ accounts: true })
})

test('accounts --env: prints the variables of the guides; --env alone and accounts --reset are refused', () => {
  expect(readOptions(['accounts', '--env'])).toMatchObject({ accounts: true, env: true })
  expect(() => readOptions(['--env'])).toThrow(/--env is an option of accounts/)
  expect(() => readOptions(['accounts', '--reset'])).toThrow(/accounts takes no option but --env/)
})

test.each(['--rest', 'reset', '-x', '--reset=true', 'constructor', ''])('%p: refused with the usage', (word) => {
  expect(() => readOptions([word])).toThrow(/Unknown option[\s\S]*Usage: \.\/scripts\/dev/)
})
