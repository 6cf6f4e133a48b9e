import { afterAll, expect, test } from 'bun:test'
import { s3OptionsAt } from '../../../../testing/files/s3-server.ts'
import { IdleTimeout } from '../idle-timeout.ts'
import { S3Storage } from './store.ts'

/** A store with the responses that a test cannot provoke in a real one. */
const encodings: (string | null)[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    encodings.push(request.headers.get('accept-encoding'))
    return RESPONSES[new URL(request.url).pathname.slice('/files/'.length)]?.() ?? new Response('', { status: 404 })
  },
})
afterAll(() => server.stop(true))

const COMPRESSED = Bun.gzipSync(Buffer.from('solid impeller\n'.repeat(100)))
const AS_GZIP = { headers: { 'content-encoding': 'gzip' } }
const RESPONSES: Record<string, () => Response | Promise<Response>> = {
  compressed: () => new Response(COMPRESSED, AS_GZIP),
  plain: () => new Response('solid impeller', AS_GZIP),
  silent: () => new Promise<Response>(() => {}),
}
/** A store that answers HEAD without the size of the object. */
const sizeless = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: { data: (socket) => void socket.end('HTTP/1.1 200 OK\r\nETag: "a"\r\nConnection: close\r\n\r\n') },
})
afterAll(() => sizeless.stop(true))
const options = s3OptionsAt(server.port)
const signal = new AbortController().signal

test.each([
  ['compressed', COMPRESSED],
  ['plain', new TextEncoder().encode('solid impeller')],
])('Content-Encoding: gzip does not change the bytes of an object: %s', async (key, bytes) => {
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  expect(await new S3Storage(options).inspect(key, signal)).toMatchObject({ sizeBytes: bytes.byteLength, sha256 })
  expect(encodings.at(-1)).toBe('identity')
})

test('a store that does not respond within idleMs throws IdleTimeout', async () => {
  await expect(new S3Storage({ ...options, idleMs: 50 }).inspect('silent', signal)).rejects.toThrow(IdleTimeout)
})

test('an object whose size the store does not name is a failure of the store', async () => {
  await expect(new S3Storage(s3OptionsAt(sizeless.port)).find('file_1')).rejects.toThrow('did not state an object')
})

test('an upload URL ends with the access key that signed it', async () => {
  const [sooner, asked] = [new Date('2031-06-24T12:20:00Z'), new Date('2031-06-25T12:00:00Z')]
  const endWith = async (expiration: Date | undefined) => {
    const credentials = async () => ({ accessKeyId: 'id', secretAccessKey: 'secret', expiration })
    return (await new S3Storage({ ...options, credentials }).uploadUrl('file_1', asked)).expiresAt
  }
  expect([await endWith(sooner), await endWith(undefined), await endWith(new Date('2100-01-01'))]).toEqual([
    sooner,
    asked,
    asked,
  ])
})
