import { afterAll, describe, expect, test } from 'bun:test'
import { captureLog } from '../../testing/captured-log.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { s3Server } from '../../testing/files/s3-server.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

/** A store with responses that the real server of the other tests never sends. */
let head: () => Response = () => new Response(null)
const store = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ method }) =>
    method === 'HEAD' ? head() : new Response('<Error><Code>ExpiredToken</Code></Error>', { status: 400 }),
})
const versity = await s3Server()
afterAll(() => Promise.all([store.stop(true), versity.close()]))

async function marketplaceOn(variables: Record<string, string>) {
  const log = captureLog()
  const settings = { ...versity.variables, ...variables, LOG_LEVEL: 'info' }
  const market = await marketplaceWithWorkers(['sourcing'], settings, undefined, { logDestination: log.destination })
  const { administrator } = await market.organization(['IP_OWNER'])
  const own = new FileClient(market, administrator.client)
  const part = await own.createPart()
  /** Adds an upload, and returns the response and its log lines. */
  const added = async () => {
    const { id } = await own.createUpload()
    const { status, body, headers } = await own.changeFiles(part, { add: [{ uploadId: id, group: 'document' }] })
    const lines = log.texts
      .filter((text) => text.includes(headers.get('x-request-id') ?? 'no id'))
      .map((text) => JSON.parse(text))
    return { status, code: body?.code, lines: lines.filter(({ operation }) => operation === undefined) }
  }
  return { added, log }
}

const onStub = await marketplaceOn({ S3_ENDPOINT: `http://127.0.0.1:${store.port}` })
const withWrongKey = await marketplaceOn({ S3_SECRET_ACCESS_KEY: 'a wrong secret' })

describe('an unexpected response of the store is 503, and one log line contains the cause', () => {
  test.each([301, 307, 400, 405, 409, 429, 500, 503])('%d', async (status) => {
    head = () => new Response(null, { status, headers: { location: 'http://127.0.0.1:1/elsewhere' } })
    const { lines, ...answer } = await onStub.added()
    expect(answer).toEqual({ status: 503, code: 'unavailable' })
    expect(lines).toMatchObject([
      { level: 'warn', err: { message: 'The file store sent an unexpected response.', cause: { status } } },
    ])
  })

  test('a wrong access key', async () => {
    const { lines, ...answer } = await withWrongKey.added()
    expect(answer).toEqual({ status: 503, code: 'unavailable' })
    const err = { message: 'The file store denied access.', cause: { name: 'S3Error', status: 403 } }
    expect(lines).toMatchObject([{ level: 'warn', err }])
  })
})

test('the log contains the cause of a failed copy', async () => {
  head = () => new Response(null, { headers: { etag: '"a"', 'content-length': '5' } })
  expect((await onStub.added()).status).toBe(204)
  const line = await until(() => onStub.log.texts.find((text) => text.includes('attempt failed')))
  expect(JSON.parse(line)).toMatchObject({
    err: {
      name: 'StorageFailure',
      message: 'The file store sent an unexpected response.',
      cause: { status: 400, code: 'ExpiredToken' },
    },
  })
})
