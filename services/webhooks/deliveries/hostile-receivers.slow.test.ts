import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Socket } from 'bun'
import { AddressGuard } from '../../kit/addresses/guard.ts'
import { until } from '../../testing/until.ts'
import { attemptDelivery } from './attempt.ts'

setDefaultTimeout(60_000)
/** The time of an attempt, with room for a busy machine. */
const ATTEMPT_MS = 15_000
const LATEST_MS = ATTEMPT_MS + 5000
/** More than an attempt may keep: its response, and buffers of the runtime. */
const MAX_GROWTH_BYTES = 64 * 1024 * 1024

const delivery = (url: string) => ({
  id: 'dlv_1',
  org_id: 'org_1',
  endpoint_id: 'wh_1',
  event_id: 'evt_1',
  attempt: 1,
  url,
  secret: '',
  previous_secrets: [],
  event_time: '2026-04-29T09:10:00.000Z',
  replay: 0,
  retries: 0,
  is_proven: true,
  is_test: false,
  type: 'cases.created',
  traceparent: null,
  lease_token: 'lease_1',
  body: '{}',
})
const secrets = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`]
const attempt = (url: string, guard = new AddressGuard({ allowPrivate: true })) =>
  attemptDelivery({ guard, clock: Date.now }, delivery(url), secrets)

/** A receiver that speaks bytes: it is called once for each connection after the first bytes of the request. */
function receiver(answer: (socket: Socket<State>) => void) {
  const sockets = new Set<Socket<State>>()
  let connections = 0
  const server = Bun.listen<State>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        connections++
        sockets.add(socket)
        socket.data = { isAnswered: false }
      },
      data(socket) {
        if (socket.data.isAnswered) return
        socket.data.isAnswered = true
        answer(socket)
      },
      close: (socket) => void sockets.delete(socket),
    },
  })
  afterAll(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}/in`, sockets, connections: () => connections }
}
interface State {
  isAnswered: boolean
}

/** Writes the same bytes again and again until the connection ends. */
function flood(socket: Socket<State>, bytes: Uint8Array): { written: number } {
  const flooded = { written: 0 }
  const timer = setInterval(() => {
    for (let count = 0; count < 16; count++) {
      const written = socket.readyState === 1 ? socket.write(bytes) : -1
      if (written < 0) return clearInterval(timer)
      flooded.written += written
      if (written < bytes.byteLength) return
    }
  }, 1)
  return flooded
}

/** Runs an attempt and returns its result, its time, and by how much the memory of this process grew. */
async function measured(url: string) {
  Bun.gc(true)
  const before = process.memoryUsage().rss
  const startedMs = performance.now()
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 50)
  const result = await attempt(url)
  clearInterval(watching)
  return { result, ms: performance.now() - startedMs, growth: most - before }
}

const OK_HEAD = 'HTTP/1.1 200 OK\r\n'

test('a receiver that sends a byte a second is ended after 15 seconds as a failure', async () => {
  const { url, sockets } = receiver((socket) => {
    socket.write(`${OK_HEAD}content-length: 1000\r\n\r\n`)
    const timer = setInterval(() => (socket.readyState === 1 ? socket.write('x') : clearInterval(timer)), 1000)
  })
  const { result, ms } = await measured(url)
  expect(result).toEqual({ status: null, error: 'The receiver took longer than 15 seconds.', response: null })
  expect([ms >= ATTEMPT_MS - 100, ms < LATEST_MS]).toEqual([true, true])
  await until(() => sockets.size === 0, { what: 'the end of the connection' })
})

test('a receiver that sends a byte of its headers a second is ended after 15 seconds', async () => {
  const { url, sockets } = receiver((socket) => {
    socket.write(OK_HEAD)
    const timer = setInterval(() => (socket.readyState === 1 ? socket.write('x') : clearInterval(timer)), 1000)
  })
  const { result, ms } = await measured(url)
  expect(result).toMatchObject({ status: null, error: 'The receiver took longer than 15 seconds.' })
  expect(ms).toBeLessThan(LATEST_MS)
  await until(() => sockets.size === 0, { what: 'the end of the connection' })
})

test.each([
  ['', ''],
  [' that claims to be short', 'content-length: 10\r\n'],
])('of an endless body%s 4 KiB are kept, and the connection is closed', async (_, claim) => {
  const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
  const floods: { written: number }[] = []
  const { url, sockets } = receiver((socket) => {
    socket.write(`${OK_HEAD}${claim}transfer-encoding: chunked\r\n\r\n`)
    floods.push(flood(socket, chunk))
  })
  const { result, ms, growth } = await measured(url)
  expect(result).toMatchObject({ status: 200, error: null, response: 'x'.repeat(4096) })
  expect(ms).toBeLessThan(LATEST_MS)
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
  await until(() => sockets.size === 0, { what: 'the end of the connection' })
  expect(floods).toHaveLength(1)
})

test('a gzip bomb is not decompressed', async () => {
  const bomb = Bun.gzipSync(new Uint8Array(100 * 1024 * 1024))
  const { url } = receiver((socket) => {
    const head = `${OK_HEAD}content-encoding: gzip\r\ncontent-length: ${bomb.byteLength}\r\n\r\n`
    socket.write(Buffer.concat([Buffer.from(head), bomb.subarray(0, 65_536)]))
    flood(socket, bomb.subarray(65_536, 131_072))
  })
  const { result, growth } = await measured(url)
  expect(result).toMatchObject({ status: 200, error: null })
  expect(result.response?.length).toBeLessThanOrEqual(4096)
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
})

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i) to a private address is a failure that is not followed',
  async (status) => {
    const target = receiver((socket) => void socket.write(`${OK_HEAD}content-length: 0\r\n\r\n`))
    const { url } = receiver(
      (socket) => void socket.write(`HTTP/1.1 ${status} Moved\r\nlocation: ${target.url}\r\ncontent-length: 0\r\n\r\n`),
    )
    expect(await attempt(url)).toMatchObject({ status, error: null })
    expect(target.connections()).toBe(0)
  },
)

test('a name that resolves to a private address after the check is not asked again', async () => {
  const internal = receiver((socket) => void socket.write(`${OK_HEAD}content-length: 0\r\n\r\n`))
  const { port } = new URL(internal.url)
  let lookups = 0
  // At the checked address no server answers.
  const resolve = async () => (lookups++ === 0 ? ['127.0.0.9'] : ['127.0.0.1'])
  const result = await attempt(
    `http://rebinding.example.com:${port}/`,
    new AddressGuard({ allowPrivate: true, resolve }),
  )
  expect(result).toMatchObject({ status: null, error: expect.stringContaining('There was no response') })
  expect([lookups, internal.connections()]).toEqual([1, 0])
})

test('a name with a private address among public ones is refused at each attempt', async () => {
  const guard = new AddressGuard({ allowPrivate: false, resolve: async () => ['93.184.216.34', '10.0.0.1'] })
  expect(await attempt('https://mixed.example.com/', guard)).toEqual({
    status: null,
    error: 'The URL must have a public address.',
    response: null,
  })
})

test('response headers beyond the limit of the runtime are a failure', async () => {
  const line = Buffer.from(`x-header-${'y'.repeat(1000)}: ${'z'.repeat(15_000)}\r\n`)
  const { url, sockets } = receiver((socket) => {
    socket.write(OK_HEAD)
    flood(socket, line)
  })
  const { result, ms, growth } = await measured(url)
  expect(result.status).toBeNull()
  expect(result.error).not.toBeNull()
  expect(ms).toBeLessThan(LATEST_MS)
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
  await until(() => sockets.size === 0, { what: 'the end of the connection' })
})

test.each([100, 103])('a flood of %i responses is ended after 15 seconds at the latest', async (status) => {
  const interim = Buffer.from(`HTTP/1.1 ${status} Wait\r\nlink: </a>\r\n\r\n`.repeat(1000))
  const { url, sockets } = receiver((socket) => void flood(socket, interim))
  const { result, ms, growth } = await measured(url)
  expect(result.status === null || result.status === status).toBe(true)
  expect(ms).toBeLessThan(LATEST_MS)
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
  await until(() => sockets.size === 0, { what: 'the end of the connection' })
})

test.each([
  ['after the headers', `${OK_HEAD}content-length: 10\r\n\r\n`],
  ['in the body', `${OK_HEAD}content-length: 10\r\n\r\nhalf`],
  ['in a chunk', `${OK_HEAD}transfer-encoding: chunked\r\n\r\n10\r\nhalf`],
  ['before a response', ''],
  ['in the status line', 'HTTP/1.1 2'],
])('a connection that is closed %s is a failure', async (_, bytes) => {
  const { url } = receiver((socket) => {
    if (bytes !== '') socket.write(bytes)
    socket.end()
  })
  const { result, ms } = await measured(url)
  expect(result).toMatchObject({ status: null, response: null, error: expect.any(String) })
  expect(ms).toBeLessThan(LATEST_MS)
})

test('bytes that are no HTTP are a failure', async () => {
  const { url } = receiver((socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n\r\n'))
  const { result, ms } = await measured(url)
  expect(result).toMatchObject({ status: null, response: null })
  expect(ms).toBeLessThan(LATEST_MS)
})
