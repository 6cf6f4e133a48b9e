import { afterAll, expect, test } from 'bun:test'
import { chmod, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findState } from './state.ts'

const isRoot = process.getuid?.() === 0
const folder = await mkdtemp(join(tmpdir(), 'state-'))
await chmod(folder, 0o755)
afterAll(() => rm(folder, { recursive: true }))

/** A checkout with a mode, and a folder for temporary files. */
async function places(name: string, mode: number) {
  const root = join(folder, name, 'checkout')
  const temporary = join(folder, name, 'temporary')
  await mkdir(root, { recursive: true })
  await mkdir(temporary)
  await chmod(temporary, 0o1777)
  await chmod(root, mode)
  return { root, temporary }
}

const modeOf = async (path: string) => (await lstat(path)).mode & 0o777

test('state is in the checkout, unreadable for other users', async () => {
  const { root, temporary } = await places('open', 0o755)
  const state = await findState({ root, temporary })
  expect(state.folder).toBe(join(root, '.dev'))
  expect((await modeOf(state.folder)) & 0o066).toBe(0)
})

test('root in a checkout that Postgres cannot reach: state elsewhere; other users: in the checkout', async () => {
  const { root, temporary } = await places('closed', 0o700)
  const state = await findState({ root, temporary })
  expect(state.folder.startsWith(isRoot ? join(temporary, 'marketplace-') : root)).toBe(true)
  await writeFile(join(state.folder, 'secrets.json'), '{}')
  const again = await findState({ root, temporary })
  expect(again.folder).toBe(state.folder)
  expect(await Bun.file(join(again.folder, 'secrets.json')).exists()).toBe(true)
})

test('a new clone at the same path: no state of the old one', async () => {
  const { root, temporary } = await places('again', 0o700)
  const state = await findState({ root, temporary })
  await writeFile(join(state.folder, 'secrets.json'), '{}')
  await rm(join(root, '.dev'), { recursive: true })
  const again = await findState({ root, temporary })
  expect(await Bun.file(join(again.folder, 'secrets.json')).exists()).toBe(false)
})

test('a folder or link that another user created there: refused', async () => {
  const { root, temporary } = await places('foreign', 0o700)
  const { folder: place } = await findState({ root, temporary })
  // Only root uses that folder.
  if (!isRoot) return expect(place).toBe(join(root, '.dev'))
  await chmod(place, 0o777)
  await expect(findState({ root, temporary })).rejects.toThrow(/belongs to another user/)
  await rm(place, { recursive: true })
  await symlink(tmpdir(), place)
  await expect(findState({ root, temporary })).rejects.toThrow(/belongs to another user/)
})
