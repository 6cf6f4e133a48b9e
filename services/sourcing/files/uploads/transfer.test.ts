import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { FileClient } from '../../../testing/files/file-client.ts'
import { marketplaceWithWorkers } from '../../../testing/marketplace.ts'
import { until } from '../../../testing/until.ts'

// Polling for a free permit creates many uploads.
const market = await marketplaceWithWorkers(['sourcing'], { UPLOADS_OPEN_MAX: '1000' })
const uploading = async () => new FileClient(market, (await market.organization(['IP_OWNER'])).administrator.client)
const [own, theirs, third] = [await uploading(), await uploading(), await uploading()]

const sockets: Socket[] = []
/** The uploads of an organization that have no answer yet. */
const unanswered = new Map<FileClient, number>()
const disconnect = () => {
  for (const socket of sockets) socket.terminate()
  unanswered.clear()
}
afterAll(disconnect)

/** Begins to send a body and never completes it. */
async function stall(by = own, onAnswer: (answer: string) => void = () => {}): Promise<void> {
  const { uploadUrl } = await by.createUpload()
  const { port, pathname, search, host } = new URL(by.localUrl(uploadUrl))
  const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\nthe beginning`
  const add = (count: number) => unanswered.set(by, (unanswered.get(by) ?? 0) + count)
  const data = (_: Socket, bytes: Buffer) => {
    add(-1)
    onAnswer(bytes.toString())
  }
  sockets.push(await Bun.connect({ hostname: '127.0.0.1', port: Number(port), socket: { data } }))
  sockets.at(-1)?.write(head)
  add(1)
}

/** Begins uploads until the organization has its maximum of 32; returns the refusal of the next one. */
async function fill(by = own, onAnswer?: (answer: string) => void): Promise<Response> {
  for (let n = 0; n < 31; n++) await stall(by, onAnswer)
  const refused = await until(async () => {
    const answer = await by.putBytes(await by.createUpload(), 'x')
    if (answer.status === 429) return answer
    await stall(by, onAnswer)
    return undefined
  })
  await until(() => unanswered.get(by) === 32)
  return refused
}

test('an organization with its maximum of slow uploads is 429, another one is served, and disconnecting frees the permits', async () => {
  const refused = await fill()
  expect(refused.headers.get('retry-after')).toBe('10')
  expect((await theirs.putBytes(await theirs.createUpload(), 'x')).status).toBe(204)
  disconnect()
  const upload = await own.createUpload()
  await until(async () => (await own.putBytes(upload, 'x')).status === 204)
})

test('slow uploads hold the permits of their own organizations, and none is ended for another one', async () => {
  const answers: string[] = []
  for (const by of [own, theirs]) await fill(by, (answer) => answers.push(answer))
  expect((await third.putBytes(await third.createUpload(), 'x')).status).toBe(204)
  expect((await own.putBytes(await own.createUpload(), 'x')).status).toBe(429)
  expect(answers).toEqual([])
  disconnect()
})
