import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FolderStorage } from './store.ts'

const MIB = 1024 * 1024
const root = await mkdtemp(join(tmpdir(), 'folder-store-'))
afterAll(() => rm(root, { recursive: true }))
const encryptionKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`
const storage = new FolderStorage({ root, publicUrl: 'http://localhost', encryptionKeys, clock: Date.now })
const signal = new AbortController().signal

/** The bytes in new chunks, with other puts between them. */
async function* chunksOf(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += chunkBytes) {
    await Promise.resolve()
    yield bytes.slice(at, at + chunkBytes)
  }
}

test('concurrent puts of different sizes and chunks store exactly their bytes', async () => {
  const sizes = [0, 1, 511, 512, 513, 65_536, MIB, 7 * MIB + 7]
  const objects = sizes.flatMap((size) =>
    [1000, 400_000, 2 * MIB].flatMap((chunkBytes) =>
      [undefined, size].map((expectedBytes, n) => {
        const seed = size + chunkBytes + n
        const bytes = new Uint8Array(size).map((_, at) => (at * 31 + seed) % 251)
        return { key: `file_${size}_${chunkBytes}_${n}`, bytes, chunkBytes, expectedBytes }
      }),
    ),
  )
  await Promise.all(
    objects.map(({ key, bytes, chunkBytes, expectedBytes }) =>
      storage.put(key, chunksOf(bytes, chunkBytes), { maxBytes: 1e9, expectedBytes, signal }),
    ),
  )
  for (const { key, bytes } of objects) {
    const info = await storage.inspect(key)
    expect(info).toMatchObject({ sizeBytes: bytes.byteLength, sha256: Bun.SHA256.hash(bytes, 'hex') })
    const read = new Uint8Array(await storage.content(key, info.sizeBytes).arrayBuffer())
    expect(Buffer.compare(read, bytes)).toBe(0)
  }
  expect(await readdir(join(root, 'incoming'))).toEqual([])
})
