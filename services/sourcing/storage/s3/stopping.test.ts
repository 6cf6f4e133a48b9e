import { afterAll, expect, test } from 'bun:test'
import { s3OptionsAt } from '../testing/s3-options.ts'
import { S3Storage } from './store.ts'

/** Takes requests and answers none of them, as a store does that copies half a gigabyte. */
let onRequest = () => {}
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => {
    onRequest()
    return new Promise<Response>(() => {})
  },
})
afterAll(() => server.stop(true))

const storage = new S3Storage(s3OptionsAt(server.port))

test.each([
  ['a copy', (signal: AbortSignal) => storage.copy('upload_1', 'file_1', '"a"', signal)],
  ['a removal', (signal: AbortSignal) => storage.remove('file_1', signal)],
  ['tidying up', (signal: AbortSignal) => storage.tidy(new Date(), signal)],
] as const)(
  '%s ends with its caller, for his reason',
  async (_, begin) => {
    const stopping = new AbortController()
    onRequest = () => stopping.abort(new Error('leaving'))
    await expect(begin(stopping.signal)).rejects.toThrow('leaving')
  },
  2_000,
)
