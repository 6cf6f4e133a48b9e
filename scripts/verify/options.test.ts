import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../toolchain/checkout.ts'
import { findTests, readOptions } from './options.ts'

const find = (words: string[], from = ROOT) => findTests(readOptions(words), from)

test('all tests are found, the slow ones unless --quick', async () => {
  const all = await find([])
  const quick = await find(['--quick'])
  expect(all).toContain('scripts/verify/options.test.ts')
  expect(quick).toEqual(all.filter((path) => !path.endsWith('.slow.test.ts')))
})

test('a path is meant from where the user stands, or from the root', async () => {
  expect(await find(['options.test.ts'], import.meta.dir)).toEqual(['scripts/verify/options.test.ts'])
  expect(await find(['scripts/verify/options.test.ts'], '/')).toEqual(['scripts/verify/options.test.ts'])
  expect(await find([join(import.meta.dir, 'options.test.ts')], '/')).toEqual(['scripts/verify/options.test.ts'])
})

test('a folder stands for the tests in it, and a test named twice runs once', async () => {
  const found = await find(['scripts/verify', 'scripts/verify/options.test.ts'])
  expect(found).toContain('scripts/verify/options.test.ts')
  expect(new Set(found).size).toBe(found.length)
})

test.each([
  ['scripts/nowhere.test.ts', /does not exist/],
  ['scripts/test.ts', /holds no tests/],
  ['/etc/passwd', /does not exist in this checkout/],
])('%s is refused: nothing would run and all would seem well', async (path, sentence) => {
  await expect(find([path])).rejects.toThrow(sentence)
})

test('unknown options are refused with the usage', () => {
  expect(() => readOptions(['--fast'])).toThrow(/Unknown option --fast[\s\S]*Usage: \.\/scripts\/test/)
})
