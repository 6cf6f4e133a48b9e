import { afterAll, expect, test } from 'bun:test'
import { s3OptionsAt } from '../../../../testing/files/s3-server.ts'
import { S3Storage } from './store.ts'

/** A store that never responds. */
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
  ['the removal of incomplete uploads', (signal: AbortSignal) => storage.removeIncomplete(new Date(), signal)],
] as const)(
  '%s ends at the stop signal, with its reason',
  async (_, begin) => {
    const stopping = new AbortController()
    onRequest = () => stopping.abort(new Error('stopping'))
    await expect(begin(stopping.signal)).rejects.toThrow('stopping')
  },
  2_000,
)
