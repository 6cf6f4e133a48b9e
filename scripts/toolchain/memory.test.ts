import { afterAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderInMemory, foldersInMemory } from './memory.ts'

const place = await mkdtemp(join(tmpdir(), 'memory-'))
afterAll(() => rm(place, { recursive: true }))

test('a folder is made where there is room, and is found again by the checkout alone that made it', async () => {
  const folder = await folderInMemory('/checkout/.dev', 0, place)
  expect((await stat(folder ?? '')).mode & 0o777).toBe(0o711)
  expect(await foldersInMemory('/checkout/.dev', place)).toEqual([{ folder: folder ?? '', pid: process.pid }])
  expect(await foldersInMemory('/other/.dev', place)).toEqual([])
})

test('a folder that is there already is not taken for ours', async () => {
  expect(await folderInMemory('/again/.dev', 0, place)).toBeDefined()
  expect(await folderInMemory('/again/.dev', 0, place)).toBeUndefined()
})

test('too little room, or no such place, means a disk', async () => {
  await mkdir(join(place, 'small'))
  expect(await folderInMemory('/checkout/.dev', 1_000_000, join(place, 'small'))).toBeUndefined()
  expect(await folderInMemory('/checkout/.dev', 0, join(place, 'missing'))).toBeUndefined()
  expect(await foldersInMemory('/checkout/.dev', join(place, 'missing'))).toEqual([])
})
