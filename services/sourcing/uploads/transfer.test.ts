import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { marketplaceOf } from '../../all/testing.ts'
import { until } from '../../kit/testing/until.ts'
import { Uploading } from '../files/testing/uploading.ts'
import { UPLOAD_LIMITS } from './rules.ts'

// Each look at whether the places are taken uses an upload up.
const market = await marketplaceOf(['sourcing'], { UPLOADS_OPEN_MAX: '1000' })
const [busy, other] = [await market.organization(['IP_OWNER']), await market.organization(['IP_OWNER'])]
const own = new Uploading(market, busy.administrator.client)
const theirs = new Uploading(market, other.administrator.client)

const sockets: Socket[] = []
const hangUp = () => {
  for (const socket of sockets) socket.terminate()
}
afterAll(hangUp)

/** Begins to send, and never ends. */
async function stall(): Promise<void> {
  const { uploadUrl } = await own.opened()
  const { port, pathname, search, host } = new URL(own.here(uploadUrl))
  const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\nthe beginning`
  sockets.push(await Bun.connect({ hostname: '127.0.0.1', port: Number(port), socket: { data() {} } }))
  sockets.at(-1)?.write(head)
}

test('who sends slowly, and often, keeps no other organization out, and gives the places back', async () => {
  for (let n = 0; n < UPLOAD_LIMITS.maxTransfersOfOne; n++) await stall()
  const refused = await until(async () => {
    const answer = await own.put(await own.opened(), 'x')
    return answer.status === 503 && answer
  })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect((await theirs.put(await theirs.opened(), 'x')).status).toBe(204)
  hangUp()
  const upload = await own.opened()
  await until(async () => (await own.put(upload, 'x')).status === 204)
})
