import { afterAll, expect, test } from 'bun:test'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/toolchain/checkout.ts'
import { run } from '../../../scripts/toolchain/run.ts'

const COMBINED = join(import.meta.dir, 'postgres@3.4.9.patch')
const SERIES = join(import.meta.dir, 'patches')

const folder = await mkdtemp(join(tmpdir(), 'patches-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const apply = async (...words: string[]) => {
  const { code, output } = await run(['git', 'apply', '--whitespace=nowarn', ...words], { cwd: folder })
  if (code !== 0) throw new Error(`${words.join(' ')}: ${output}`)
}
const sourceIn = (of: string) =>
  Promise.all(['connection.js', 'index.js'].map((file) => Bun.file(join(of, 'src', file)).text()))

test('the patches for upstream, one after the other, give the driver that is installed', async () => {
  const installed = join(ROOT, 'node_modules', 'postgres')
  await cp(join(installed, 'src'), join(folder, 'src'), { recursive: true })
  await apply('--reverse', COMBINED)
  expect(await sourceIn(folder)).not.toEqual(await sourceIn(installed))
  const names = (await readdir(SERIES)).sort()
  expect(names.length).toBe(10)
  for (const name of names) await apply(join(SERIES, name))
  expect(await sourceIn(folder)).toEqual(await sourceIn(installed))
})

test('the README has a row for each patch', async () => {
  const readme = await Bun.file(join(import.meta.dir, 'README.md')).text()
  const rows = [...readme.matchAll(/^\| `(\d\d-[\w-]+)` \|/gm)].map(([, name]) => `${name}.patch`)
  expect(rows).toEqual((await readdir(SERIES)).sort())
})
