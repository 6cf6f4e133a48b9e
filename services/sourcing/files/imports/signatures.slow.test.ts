import { afterAll, expect, test } from 'bun:test'
import type { Import } from '../../../../proto/http/sourcing/imports.ts'
import { captureLog } from '../../../testing/captured-log.ts'
import { FileClient } from '../../../testing/files/file-client.ts'
import { plainSource } from '../../../testing/files/plain-source.ts'
import { marketplaceWithWorkers } from '../../../testing/marketplace.ts'
import { until } from '../../../testing/until.ts'

const log = captureLog()
const market = await marketplaceWithWorkers(
  ['sourcing'],
  { ALLOW_PRIVATE_ADDRESSES: 'true', LOG_LEVEL: 'debug' },
  undefined,
  {
    logDestination: log.destination,
  },
)
const { administrator } = await market.organization(['IP_OWNER'])
const own = new FileClient(market, administrator.client)
const part = await own.createPart()

const SIGNATURE = 'sig=secret-4711'
const BAD_CHUNK = 'Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\nzz-no-hex\r\n'
const source = plainSource({
  [`/broken?${SIGNATURE}`]: (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${BAD_CHUNK}`),
  [`/gone?${SIGNATURE}`]: (socket) => void socket.write(`HTTP/1.1 410 Gone\r\n${BAD_CHUNK}`),
})
afterAll(() => source.close())

async function begin(path: string): Promise<string> {
  const sasUrl = `${source.url}${path}?${SIGNATURE}`
  const input = { name: 'a', group: 'document', sasUrl }
  return (await own.client.post<{ fileId: string }>(`/v1/parts/${part}/import-file`, input)).body.fileId
}
const lineOf = (fileId: string) => log.texts.find((text) => text.includes(fileId) && text.includes('attempt failed'))

test('a source that disconnects is logged without its signature', async () => {
  const fileId = await begin('/broken')
  const line = await until(async () => lineOf(fileId), { withinMs: 10_000, what: 'a line of the log' })
  expect(JSON.parse(line)).toMatchObject({
    reason: 'unreachable',
    err: { name: 'SourceDisconnected', code: 'InvalidHTTPResponse' },
  })
  expect(log.texts.join('')).not.toContain('secret-4711')
})

test('an error status with a broken body is source_refused', async () => {
  const fileId = await begin('/gone')
  const ended = await until(
    async () => {
      const { body } = await own.client.get<Import>(`/flows/v1/imports/${fileId}`)
      return (body.state !== 'PENDING' || lineOf(fileId) !== undefined) && body
    },
    { withinMs: 10_000, what: 'the end of the import' },
  )
  expect(ended).toMatchObject({ state: 'FAILED', reason: 'source_refused' })
  expect(log.texts.join('')).not.toContain('secret-4711')
})
