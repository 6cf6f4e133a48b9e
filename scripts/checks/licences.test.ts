import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUN } from '../toolchain/checkout.ts'
import { LICENCES_FILE } from '../toolchain/reference-packages.ts'
import { run } from '../toolchain/run.ts'

const folder = await mkdtemp(join(tmpdir(), 'licences-'))
afterAll(() => rm(folder, { recursive: true }))

const PACKAGES: [name: string, manifest: object, allowed: boolean][] = [
  ['mit', { license: 'MIT' }, true],
  ['choice', { license: '(MIT OR GPL-3.0-only)' }, true],
  ['nested-choice', { license: '(MIT AND ISC) OR GPL-3.0-only' }, true],
  ['list', { licenses: [{ type: 'MIT' }, { type: 'GPL-2.0-only' }] }, true],
  ['copyleft', { license: 'GPL-3.0-only' }, false],
  ['both', { license: 'MIT AND GPL-3.0-only' }, false],
  ['exception', { license: 'GPL-2.0-only WITH Classpath-exception-2.0' }, false],
  ['text', { license: 'SEE LICENSE IN LICENSE.md' }, false],
  ['for-development', { license: 'MPL-2.0' }, false],
  ['lesser', { license: 'LGPL-2.1' }, false],
  // Named with a reason, under this licence only.
  ['occt-import-js', { license: 'LGPL-2.1' }, true],
  ['silent', {}, false],
  // Another version of it, under MIT, is installed at the top.
  ['parent/node_modules/deep', { license: 'GPL-3.0-only' }, false],
]

const install = (path: string, content: object) =>
  Bun.write(join(folder, path, 'package.json'), JSON.stringify({ version: '1.0.0', ...content }))
const names = PACKAGES.map(([name]) => name.split('/')[0] ?? '')
await install('.', {
  name: 'project',
  private: true,
  dependencies: Object.fromEntries([...names, 'deep'].map((name) => [name, '*'])),
  devDependencies: { tool: '*', 'copyleft-tool': '*' },
})
for (const [name, manifest] of PACKAGES)
  await install(`node_modules/${name}`, { name: name.split('/').at(-1), ...manifest })
await install('node_modules/parent', { name: 'parent', license: 'MIT', dependencies: { deep: '1.0.0' } })
await install('node_modules/deep', { name: 'deep', version: '2.0.0', license: 'MIT' })
await install('node_modules/tool', { name: 'tool', license: 'MPL-2.0' })
await install('node_modules/copyleft-tool', { name: 'copyleft-tool', license: 'GPL-3.0-only' })
await Bun.write(
  join(folder, LICENCES_FILE),
  'mit 1.0.0 — MIT\nchoice 1.0.0 — (AFL-2.1 OR BSD-3-Clause)\nboth 1.0.0 — MIT AND GPL-3.0-only\n\nThe text\n',
)
const { code, output } = await run([BUN, join(import.meta.dir, 'licences.ts'), folder])

test.each(PACKAGES)('a shipped package %s with %p: allowed is %p', (name, _manifest, allowed) => {
  expect(output.includes(`production: ${name.split('/').at(-1)}@1.0.0: `)).toBe(!allowed)
})

test('MPL-2.0 is allowed for development, GPL-3.0-only is not', () => {
  expect(output.split('\n').filter((line) => line.startsWith('development: '))).toEqual([
    'development: copyleft-tool@1.0.0: GPL-3.0-only is not allowed',
  ])
})

test('a package in the API reference under a licence that is not allowed is named', () => {
  expect(output.split('\n').filter((line) => line.startsWith('API reference: '))).toEqual([
    'API reference: both@1.0.0: MIT AND GPL-3.0-only is not allowed',
  ])
})

test('a package under a licence that is not allowed fails the check', () => {
  expect(code).toBe(1)
})
