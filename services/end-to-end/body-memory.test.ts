import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { until } from '../testing/until.ts'

/**
 * Unfinished bodies that fill the memory for bodies of the process: 64 MiB, of which an organization has at most 16.
 */
const market = await marketplaceWithWorkers(['sourcing'])
const flooding = await Promise.all(Array.from({ length: 4 }, () => market.organization(['IP_OWNER'])))
const served = await market.organization(['IP_OWNER'])

const sockets: Socket[] = []
afterAll(() => {
  for (const socket of sockets) socket.terminate()
})
const answers: string[] = []

/** Announces a body of a MiB and sends none of it. */
async function announce({ administrator: { client } }: typeof served): Promise<void> {
  const head = [
    'POST /v1/parts HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Content-Length: 1048576',
    `Authorization: Bearer ${client.accessToken}`,
  ]
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(market.url).port),
    socket: { data: (_, bytes) => void answers.push(bytes.toString()) },
  })
  sockets.push(socket)
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
}

test('while four organizations hold all memory for bodies, another one is served', async () => {
  for (const org of flooding) {
    for (let n = 0; n < 16; n++) await announce(org)
    // The share of the organization is taken when its next body is refused.
    await until(async () => (await org.administrator.client.post('/v1/parts', { title: 'One more' })).status === 429)
  }
  expect(answers).toEqual([])
  for (let n = 0; n < 20; n++) {
    const { status } = await served.administrator.client.post('/v1/parts', { title: 'Impeller' })
    expect(status).toBe(200)
  }
  // The oldest body of the organization that holds the most made room.
  await until(() => answers.length > 0)
  expect(answers).toEqual([expect.stringMatching(/^HTTP\/1\.1 503 [\s\S]*Too many request bodies are being read/)])
})
