import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { testDatabase } from '../testing/database.ts'
import { startService } from '../testing/processes.ts'
import { until } from '../testing/until.ts'

/** Their small bodies are together more than the share of one client. */
const CONNECTIONS = 1300
/** Their bodies of a MiB would be together several times `MAX_GROWTH_MIB`. */
const CONNECTIONS_OF_A_MIB = 500
const PATH = '/v2.3/oauth/token'
const MIB = 1024 * 1024
/** What a process may grow by while bodies are held back: the share of one client, and buffers of the sockets. */
const MAX_GROWTH_MIB = 160

const db = await testDatabase()
const { client, child } = await startService('identity', db, undefined, {
  RATE_LIMIT_PER_SECOND: '100000',
  RATE_LIMIT_BURST: '100000',
  TRUSTED_PROXIES: '1',
})
const open = new Set<Socket>()
afterAll(() => {
  for (const socket of open) socket.end()
})

/** The resident memory of the service in MiB. */
async function memoryMib(): Promise<number> {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'rss=', '-p', String(child.pid)])
  return Number(stdout.toString()) / 1024
}

/** The start of a request, which all connections send. */
function unfinished(target: string, head: readonly string[], body: Uint8Array): Uint8Array {
  const lines = [`${target} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...head]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}

/** Sends as much of the request as the server accepts, and keeps the connection open. */
function send(bytes: Uint8Array, onAnswer: (status: number) => void): Promise<Socket> {
  let sent = 0
  const write = (socket: Socket) => {
    sent += Math.max(0, socket.write(bytes.subarray(sent)))
  }
  return Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(client.url).port),
    socket: {
      open: (socket) => {
        open.add(socket)
        write(socket)
      },
      drain: write,
      data: (_, chunk) => {
        const status = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1]
        if (status !== undefined) onAnswer(Number(status))
      },
      close: (socket) => void open.delete(socket),
      error: (socket) => void open.delete(socket),
    },
  })
}

const body = (bytes: number) => new Uint8Array(bytes).fill(0x20)
const chunk = (bytes: number) =>
  Buffer.concat([Buffer.from(`${bytes.toString(16)}\r\n`), body(bytes), Buffer.from('\r\n')])

const announced = (bytes: number) => [`Content-Length: ${bytes}`]
const CHUNKED = ['Transfer-Encoding: chunked']

test.each(
  (
    [
      ['an announced MiB', `POST ${PATH}`, announced(MIB), body(MIB - 1), 413],
      ['an announced body of 16 KiB', `POST ${PATH}`, announced(16_384), body(16_383), 429],
      ['a MiB announced twice', `POST ${PATH}`, [...announced(MIB), ...announced(MIB)], body(MIB - 1), 422],
      ['chunks of 15 KiB', `POST ${PATH}`, CHUNKED, chunk(15 * 1024), 429],
      ['chunks beyond the limit', `POST ${PATH}`, CHUNKED, chunk(MIB), 413],
      ['the body of a GET', 'GET /openapi.json', announced(MIB), body(MIB - 1), 200],
      ['a body for an unknown path', 'POST /v1/unknown', announced(MIB), body(MIB - 1), 404],
      ['a body without a token', 'POST /flows/v1/password/change', announced(MIB), body(MIB - 1), 401],
    ] as const
  ).map((one) => [one[3].length < MIB / 2 ? CONNECTIONS : CONNECTIONS_OF_A_MIB, ...one] as const),
)(
  '%d connections that hold back %s use bounded memory',
  async (connections, _, target, head, bytes, status) => {
    const request = unfinished(target, head, bytes)
    const before = await memoryMib()
    let peak = before
    let answers = 0
    const count = (answer: number) => {
      if (answer === status) answers++
    }
    for (let from = 0; from < connections; from += 100) {
      await Promise.all(Array.from({ length: 100 }, () => send(request, count)))
      peak = Math.max(peak, await memoryMib())
    }
    await until(() => answers > 0, { withinMs: 20_000 })
    peak = Math.max(peak, await memoryMib())
    // Another address is served meanwhile.
    const refresh = { grant_type: 'refresh_token', refresh_token: 'x' }
    expect((await client.post(PATH, refresh, { 'X-Forwarded-For': '203.0.113.9' })).status).toBe(401)
    expect(peak - before).toBeLessThan(MAX_GROWTH_MIB)
    for (const socket of open) socket.end()
    await until(() => open.size === 0, { withinMs: 20_000 })
  },
  120_000,
)
