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

/** Bytes of its own for each object, in pieces of so many. */
async function* piecesOf(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    // The others have their turn in between.
    await Promise.resolve()
    yield bytes.slice(at, at + pieceBytes)
  }
}

test('many objects at once are each what was sent, whatever their sizes and pieces', async () => {
  const sizes = [
    0,
    1,
    511,
    512,
    513,
    65_535,
    65_536,
    MIB - 1,
    MIB,
    MIB + 1,
    MIB + 512,
    MIB + 513,
    2 * MIB - 512,
    4 * MIB - 511,
    7 * MIB + 7,
  ]
  const pieces = [1000, 65_536, 400_000, 2 * MIB]
  const objects = sizes.flatMap((size) =>
    pieces.flatMap((pieceBytes) =>
      [undefined, size].map((expectedBytes, n) => {
        const seed = size + pieceBytes + n
        const bytes = new Uint8Array(size).map((_, at) => (at * 31 + seed) % 251)
        return { key: `file_${size}_${pieceBytes}_${n}`, bytes, pieceBytes, expectedBytes }
      }),
    ),
  )
  await Promise.all(
    objects.map(({ key, bytes, pieceBytes, expectedBytes }) =>
      storage.put(key, piecesOf(bytes, pieceBytes), { maxBytes: 1e9, expectedBytes, signal }),
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
