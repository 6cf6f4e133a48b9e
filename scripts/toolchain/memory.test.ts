import { afterAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderInMemory, foldersInMemory } from './memory.ts'

const place = await mkdtemp(join(tmpdir(), 'memory-'))
afterAll(() => rm(place, { recursive: true }))

test('enough room: a folder is made, and only its checkout finds it', async () => {
  const folder = await folderInMemory('/checkout/.dev', 0, place)
  expect((await stat(folder ?? '')).mode & 0o777).toBe(0o711)
  expect(await foldersInMemory('/checkout/.dev', place)).toEqual([{ folder: folder ?? '', pid: process.pid }])
  expect(await foldersInMemory('/other/.dev', place)).toEqual([])
})

test('an existing folder of that name: not used', async () => {
  expect(await folderInMemory('/again/.dev', 0, place)).toBeDefined()
  expect(await folderInMemory('/again/.dev', 0, place)).toBeUndefined()
})

test('too little room or no memory file system: undefined', async () => {
  await mkdir(join(place, 'small'))
  expect(await folderInMemory('/checkout/.dev', 1_000_000, join(place, 'small'))).toBeUndefined()
  expect(await folderInMemory('/checkout/.dev', 0, join(place, 'missing'))).toBeUndefined()
  expect(await foldersInMemory('/checkout/.dev', join(place, 'missing'))).toEqual([])
})
