import { describe, expect, test } from 'bun:test'
import { newId } from '../../../kit/db/ids.ts'
import { LengthMismatch, TooLarge } from '../../../sourcing/files/storage/storage.ts'
import { storageOf } from '../storage-of.ts'
import type { ConformanceSetup } from './setup.ts'

const CHUNK = Uint8Array.from({ length: 100_000 }, (_, n) => n % 249)
const signal = new AbortController().signal

/** `count` chunks, then the end or an error. */
async function* chunks(count: number, failure?: Error): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < count; n++) yield CHUNK
  if (failure) throw failure
}

function sha256Of(count: number): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (let n = 0; n < count; n++) hash.update(CHUNK)
  return hash.digest('hex')
}

export function describeStore({ settings, own, stop, start }: ConformanceSetup): void {
  const storage = storageOf(settings)
  const put = (key: string, count: number, maxBytes = 1e9) =>
    storage.put(key, chunks(count), { maxBytes, signal, onProgress: () => {} })

  describe('the store', () => {
    test.each([0, 1, 250])('stores a stream of %d chunks with its size and hash', async (count) => {
      const key = newId('file')
      const seen: number[] = []
      const info = await storage.put(key, chunks(count), { maxBytes: 1e9, signal, onProgress: (n) => seen.push(n) })
      expect(info).toMatchObject({ sizeBytes: count * CHUNK.length, sha256: sha256Of(count) })
      expect(seen.at(-1) ?? 0).toBe(info.sizeBytes)
      expect((await storage.find(key))?.sizeBytes).toBe(info.sizeBytes)
      expect(await storage.inspect(key, signal)).toEqual(info)
    })

    test('finds an object during its removal completely or not at all', async () => {
      for (let round = 0; round < 40; round++) {
        const key = newId('file')
        await put(key, 1)
        const removal = storage.remove(key)
        for (const found of await Promise.all(Array.from({ length: 8 }, () => storage.find(key)))) {
          expect([undefined, CHUNK.length]).toContain(found?.sizeBytes)
        }
        await removal
      }
    })

    test.each([3, 250])('stores nothing of a stream of %d chunks that fails', async (count) => {
      const key = newId('file')
      const broken = chunks(count, new Error('the sender disconnected'))
      await expect(storage.put(key, broken, { maxBytes: 1e9, signal })).rejects.toThrow('the sender disconnected')
      expect(await storage.find(key)).toBeUndefined()
    })

    test.each([3, 250])(
      'stores nothing of a stream of %d chunks that is shorter or longer than expected',
      async (count) => {
        const key = newId('file')
        for (const expectedBytes of [count * CHUNK.length + 1, count * CHUNK.length - 1, 0]) {
          await expect(storage.put(key, chunks(count), { maxBytes: 1e9, expectedBytes, signal })).rejects.toThrow(
            LengthMismatch,
          )
          expect(await storage.find(key)).toBeUndefined()
        }
      },
    )

    test.each([3, 250])('stores nothing of a stream of %d chunks that is too long', async (count) => {
      const key = newId('file')
      await expect(put(key, count, count * CHUNK.length - 1)).rejects.toThrow(TooLarge)
      expect(await storage.find(key)).toBeUndefined()
      expect((await put(key, count, count * CHUNK.length)).sizeBytes).toBe(count * CHUNK.length)
    })

    test('copies an object only with its current etag', async () => {
      const [from, to, other] = [newId('file'), newId('file'), newId('file')]
      const info = await put(from, 3)
      const etag = (await storage.find(from))?.etag ?? ''
      expect(await storage.copy(from, to, etag, signal)).toBe(true)
      expect(await storage.inspect(to, signal)).toEqual(info)
      expect(await storage.copy(from, other, '"another"', signal)).toBe(false)
      expect(await storage.copy(newId('file'), other, etag, signal)).toBe(false)
      expect(await storage.find(other)).toBeUndefined()
    })

    test('removes an object, and repeating the removal succeeds', async () => {
      const key = newId('file')
      await put(key, 3)
      await storage.remove(key)
      expect(await storage.find(key)).toBeUndefined()
      await storage.remove(key)
    })

    test('keeps complete objects when incomplete ones are removed', async () => {
      const key = newId('file')
      await put(key, 3)
      await storage.removeIncomplete(new Date(Date.now() + 60_000))
      expect(await storage.find(key)).toBeDefined()
    })

    test.each(['', '.', '..', '../x', 'a/b', 'a\\b', '.hidden', 'a\0', 'x'.repeat(129), 'é'])(
      'refuses the key %s',
      async (key) => {
        await expect(storage.find(key)).rejects.toThrow('not a key')
        await expect(put(key, 1)).rejects.toThrow('not a key')
        await expect(storage.remove(key)).rejects.toThrow('not a key')
      },
    )

    test('a request while the store is unavailable is 503, and the objects exist afterwards', async () => {
      const { id } = await own.uploadBytes('solid impeller')
      const part = await own.createPart()
      const add = [{ uploadId: id, group: 'document' }]
      await stop()
      const refused = await own.changeFiles(part, { add })
      expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
      expect(refused.headers.get('retry-after')).toBe('1')
      await expect(put(newId('file'), 1)).rejects.toMatchObject({ code: 'unavailable' })
      await start()
      expect((await own.changeFiles(part, { add })).status).toBe(204)
    })
  })
}
