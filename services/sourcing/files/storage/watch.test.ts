import { expect, test } from 'bun:test'
import { Registry } from 'prom-client'
import { createLog } from '../../../kit/log/log.ts'
import { s3OptionsAt } from '../../../testing/files/s3-server.ts'
import { freePort } from '../../../testing/free-port.ts'
import { until } from '../../../testing/until.ts'
import { S3Storage } from './s3/store.ts'
import { storageWatch } from './watch.ts'

/** What a store of this answer makes of the first check: the value of the gauge, and the line of the log. */
async function checked(port: number | undefined): Promise<[gauge: string | undefined, line: string | undefined]> {
  const registry = new Registry()
  const lines: string[] = []
  const log = createLog({
    service: 'sourcing',
    version: '1',
    level: 'info',
    destination: { write: (line) => void lines.push(line) },
  })
  const stopping = new AbortController()
  const { worker } = storageWatch({ storage: new S3Storage(s3OptionsAt(port)), registry, log })
  const running = worker.run(stopping.signal)
  const value = () => registry.metrics().then((text) => /^marketplace_storage_up (\d)$/m.exec(text)?.[1])
  const gauge = await until(value)
  stopping.abort()
  await running
  const { err } = lines[0] ? JSON.parse(lines[0]) : {}
  return [gauge, err && `${err.message} ${err.cause?.code ?? ''}`]
}

const answering = (status: number, code: string) =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(`<Error><Code>${code}</Code></Error>`, { status }),
  })

test.each([
  [403, 'SignatureDoesNotMatch', 'The file store denied access. SignatureDoesNotMatch'],
  [403, 'InvalidAccessKeyId', 'The file store denied access. InvalidAccessKeyId'],
  [404, 'NoSuchBucket', 'The bucket of the file store does not exist. NoSuchBucket'],
])('a store that answers %d %s: the log says why, and the gauge is 0', async (status, code, line) => {
  const server = answering(status, code)
  expect(await checked(server.port)).toEqual(['0', line])
  await server.stop(true)
})

test('an endpoint without a store: the log says so, and the gauge is 0', async () => {
  const [gauge, line] = await checked(freePort())
  expect([gauge, line]).toEqual(['0', expect.stringMatching(/^The file store is not available\. /)])
})

test('a store that answers: the gauge is 1, and the log has nothing', async () => {
  const server = answering(200, '')
  expect(await checked(server.port)).toEqual(['1', undefined])
  await server.stop(true)
})
