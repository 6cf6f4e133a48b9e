import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dependenciesOf, findForbidden, permits } from './packages.ts'

const root = await mkdtemp(join(tmpdir(), 'packages-'))
afterAll(() => rm(root, { recursive: true }))

const install = (path: string, content: object) =>
  Bun.write(join(root, path, 'package.json'), JSON.stringify({ version: '1.0.0', ...content }))

await install('node_modules/web', { license: 'MIT', dependencies: { deep: '*' }, optionalDependencies: { other: '*' } })
await install('node_modules/deep', { license: 'ISC' })
await install('node_modules/web/node_modules/deep', { license: 'GPL-3.0-only' })
await install('node_modules/old', { licenses: [{ type: 'MIT' }, { type: 'GPL-2.0' }] })
await install('node_modules/silent', {})

test.each([
  ['MIT', true],
  ['GPL-3.0-only', false],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND GPL-3.0-only', false],
  ['(MIT AND ISC) OR GPL-3.0-only', true],
  ['GPL-2.0-only WITH Classpath-exception-2.0', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['', false],
])('%p: %p', (expression, allowed) => {
  expect(permits(expression, ['MIT', 'ISC'])).toBe(allowed)
})

test('a dependency is judged by the copy that is used, not by its namesake further up', async () => {
  const found = await dependenciesOf(root, ['web'])
  expect(found.map(({ name, licence }) => `${name} ${licence}`)).toEqual(['deep GPL-3.0-only', 'web MIT'])
  expect(findForbidden(found, ['MIT', 'ISC'])).toEqual(['deep@1.0.0: GPL-3.0-only is not allowed'])
})

test('a list of licences is a choice, and none at all is refused', async () => {
  const found = await dependenciesOf(root, ['old', 'silent'])
  expect(findForbidden(found, ['MIT'])).toEqual(['silent@1.0.0: no licence is not allowed'])
})

test('a dependency that is not installed is an error, not a licence that passes', async () => {
  await expect(dependenciesOf(root, ['missing'])).rejects.toThrow('missing is not installed')
})
