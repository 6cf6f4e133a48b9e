import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AddressGuard } from '../../../kit/addresses/guard.ts'
import { createSecretBox } from '../../../kit/secrets/box.ts'
import { headOf, plainSource } from '../../../testing/files/plain-source.ts'
import { FolderStorage } from '../storage/folder/store.ts'
import { fetchImport } from './fetch.ts'

const root = await mkdtemp(join(tmpdir(), 'fetch-'))
const encryptionKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`
const source = plainSource({
  '/silent': () => {},
  '/half-a-head': (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-'),
  '/stuck': (socket) => void socket.write(`${headOf(10)}half`),
  '/whole': (socket) => void socket.write(`${headOf(5)}whole`),
})
afterAll(async () => {
  source.close()
  await rm(root, { recursive: true })
})

const box = await createSecretBox(encryptionKeys)
const fetching = {
  storage: new FolderStorage({ root, publicUrl: 'http://localhost', encryptionKeys, clock: Date.now }),
  guard: new AddressGuard({ allowPrivate: true }),
  box,
  idleMs: 200,
}

async function fetched(path: string) {
  const job = { encryptedUrl: await box.encrypt(source.url + path) }
  const progress = { receivedBytes: 0, totalBytes: null }
  return fetchImport(fetching, job, { key: path.slice(1), signal: AbortSignal.timeout(4_000), progress })
}

test.each(['/silent', '/half-a-head', '/stuck'])(
  'a source that stalls is timed_out and may be retried: %s',
  async (path) => {
    await expect(fetched(path)).rejects.toMatchObject({ name: 'JobFailure', reason: 'timed_out', isFinal: false })
  },
)

test('a source that responds in time is stored', async () => {
  expect(await fetched('/whole')).toMatchObject({ sizeBytes: 5 })
})
