import { afterAll, expect, test } from 'bun:test'
import { Stalled } from '../chunks.ts'
import { s3OptionsAt } from '../testing/s3-options.ts'
import { S3Storage } from './store.ts'

/** Stands for a store that does what real ones do at times, and that a test cannot make them do. */
const encodings: (string | null)[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    encodings.push(request.headers.get('accept-encoding'))
    return ANSWERS[new URL(request.url).pathname.slice('/files/'.length)]?.() ?? new Response('', { status: 404 })
  },
})
afterAll(() => server.stop(true))

const PACKED = Bun.gzipSync(Buffer.from('solid impeller\n'.repeat(100)))
const AS_GZIP = { headers: { 'content-encoding': 'gzip' } }
const ANSWERS: Record<string, () => Response | Promise<Response>> = {
  packed: () => new Response(PACKED, AS_GZIP),
  plain: () => new Response('solid impeller', AS_GZIP),
  silent: () => new Promise<Response>(() => {}),
}
const options = s3OptionsAt(server.port)
const signal = new AbortController().signal

test.each([
  ['packed', PACKED],
  ['plain', new TextEncoder().encode('solid impeller')],
])('an object that the store calls packed is what its bytes are: %s', async (key, bytes) => {
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  expect(await new S3Storage(options).inspect(key, signal)).toMatchObject({ sizeBytes: bytes.byteLength, sha256 })
  expect(encodings.at(-1)).toBe('identity')
})

test('a store that does not begin to answer is not waited for', async () => {
  await expect(new S3Storage({ ...options, idleMs: 50 }).inspect('silent', signal)).rejects.toThrow(Stalled)
})
