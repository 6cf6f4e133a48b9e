import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../../toolchain/checkout.ts'
import { findTests, isSlow, readOptions, sharesProcess } from './options.ts'

const find = (words: string[], from = ROOT) => findTests(readOptions(words), from)

test('no path: all tests; with --quick, without the slow ones', async () => {
  const all = await find([])
  const quick = await find(['--quick'])
  expect(all).toContain('scripts/commands/test/options.test.ts')
  expect(quick).toEqual(all.filter((path) => !path.endsWith('.slow.test.ts')))
})

test('the tests of the lab run only with --lab, or where they are named', async () => {
  const file = 'scripts/lab/generators/generators.lab.test.ts'
  const all = await find([])
  expect(all.filter((path) => path.endsWith('.lab.test.ts'))).toEqual([])
  expect(await find(['--quick'])).not.toContain(file)
  const withLab = await find(['--lab'])
  expect(withLab).toContain(file)
  expect(withLab.filter((path) => !path.endsWith('.lab.test.ts'))).toEqual(all)
  expect(await find([file])).toEqual([file])
})

test('slow files that send requests share a process; those that start programs or measure memory do not', async () => {
  const shared = (await find([])).filter((path) => isSlow(path) && sharesProcess(path))
  expect(shared).toContain('services/end-to-end/tenancy/tenancy.slow.test.ts')
  expect(shared).toContain('services/sourcing/factories/plans.slow.test.ts')
  expect(shared.filter((path) => /memory|kills|processes|commands\/dev/.test(path))).toEqual([])
})

test('a path is relative to the current folder, or to the root', async () => {
  expect(await find(['options.test.ts'], import.meta.dir)).toEqual(['scripts/commands/test/options.test.ts'])
  expect(await find(['scripts/commands/test/options.test.ts'], '/')).toEqual(['scripts/commands/test/options.test.ts'])
  expect(await find([join(import.meta.dir, 'options.test.ts')], '/')).toEqual(['scripts/commands/test/options.test.ts'])
})

test('a folder: all its tests, each once', async () => {
  const found = await find(['scripts/commands/test', 'scripts/commands/test/options.test.ts'])
  expect(found).toContain('scripts/commands/test/options.test.ts')
  expect(new Set(found).size).toBe(found.length)
})

test.each([
  ['scripts/nowhere.test.ts', /does not exist/],
  ['scripts/commands/test/main.ts', /holds no tests/],
  ['/etc/passwd', /does not exist in this checkout/],
])('%s: refused, because no test would run', async (path, sentence) => {
  await expect(find([path])).rejects.toThrow(sentence)
})

test('an unknown option: refused with the usage', () => {
  expect(() => readOptions(['--fast'])).toThrow(/Unknown option --fast[\s\S]*Usage: \.\/scripts\/test/)
})
