import { afterAll, expect, test } from 'bun:test'
import type { Import } from '../../../../proto/http/sourcing/imports.ts'
import { FileClient } from '../../../testing/files/file-client.ts'
import { plainSource } from '../../../testing/files/plain-source.ts'
import { marketplaceWithWorkers } from '../../../testing/marketplace.ts'
import { until } from '../../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], { ALLOW_PRIVATE_ADDRESSES: 'true' })
const { administrator } = await market.organization(['IP_OWNER'])
const own = new FileClient(market, administrator.client)
const part = await own.createPart()

const HEAD = 'HTTP/1.1 200 OK\r\nConnection: close\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n'
const RESPONSES: Record<string, string> = {
  '/repeated': `${HEAD}Content-Length: 5\r\nContent-Length: 5\r\n\r\nwhole`,
  '/chunked': `${HEAD}Content-Length: 500\r\n${CHUNKED}`,
  '/none': `${HEAD}\r\nwhole`,
}
const source = plainSource(
  Object.fromEntries(Object.entries(RESPONSES).map(([path, text]) => [path, (socket) => void socket.end(text)])),
)
afterAll(() => source.close())

test.each([
  ['/repeated', 5],
  ['/chunked', 5],
  ['/none', 5],
])('a response with the length of %s is imported completely', async (path, totalBytes) => {
  const input = { name: 'a', group: 'document', sasUrl: source.url + path }
  const { body } = await own.client.post<{ fileId: string }>(`/v1/parts/${part}/import-file`, input)
  const ended = await until(
    async () => {
      const found = (await own.client.get<Import>(`/flows/v1/imports/${body.fileId}`)).body
      return (found.state !== 'PENDING' || found.receivedBytes > totalBytes) && found
    },
    { withinMs: 5_000, what: 'the end of the import' },
  )
  expect(ended).toEqual({ fileId: body.fileId, state: 'READY', receivedBytes: totalBytes, totalBytes })
})
