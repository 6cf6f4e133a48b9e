import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { Uploading } from '../../testing/files/uploading.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'
import { UPLOAD_LIMITS } from './rules.ts'

// Each look at whether the places are taken uses an upload up.
const market = await marketplaceOf(['sourcing'], { UPLOADS_OPEN_MAX: '1000' })
const uploading = async () => new Uploading(market, (await market.organization(['IP_OWNER'])).administrator.client)
const [own, theirs, third] = [await uploading(), await uploading(), await uploading()]

const sockets: Socket[] = []
const hangUp = () => {
  for (const socket of sockets) socket.terminate()
}
afterAll(hangUp)

/** Begins to send, and never ends. */
async function stall(by = own, onAnswer: (answer: string) => void = () => {}): Promise<void> {
  const { uploadUrl } = await by.opened()
  const { port, pathname, search, host } = new URL(by.here(uploadUrl))
  const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\nthe beginning`
  const data = (_: Socket, bytes: Buffer) => onAnswer(bytes.toString())
  sockets.push(await Bun.connect({ hostname: '127.0.0.1', port: Number(port), socket: { data } }))
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

test('where several send slowly, and often, the slowest gives way to who has no place, and is told to send again', async () => {
  const answers: string[] = []
  for (const by of [own, theirs]) {
    for (let n = 0; n < UPLOAD_LIMITS.maxTransfersOfOne; n++) await stall(by, (answer) => answers.push(answer))
  }
  const upload = await third.opened()
  await until(async () => (await third.put(upload, 'x')).status === 204)
  const [answer] = await until(() => answers.length > 0 && answers)
  expect(answer).toStartWith('HTTP/1.1 503')
  expect(answer).toContain('send it again')
  expect(answers).toHaveLength(1)
  hangUp()
})
