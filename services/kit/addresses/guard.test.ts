import { afterAll, describe, expect, test } from 'bun:test'
import { AUTHORITY, OTHER_CERTIFICATE, OTHER_KEY, PINNED_CERTIFICATE, PINNED_KEY } from '../../testing/certificates.ts'
import { AddressGuard, AddressRefused, type GuardOptions, Unreachable } from './guard.ts'
import { readAtMost } from './read-body.ts'

interface Received {
  host: string | null
  path: string
  connection: string | null
}

function listen(hostname: string, port: number, tls?: { cert: string; key: string }) {
  const received: Received[] = []
  const server = Bun.serve({
    hostname,
    port,
    ...(tls ? { tls } : {}),
    fetch(request) {
      const { pathname } = new URL(request.url)
      received.push({
        host: request.headers.get('host'),
        path: pathname,
        connection: request.headers.get('connection'),
      })
      if (pathname === '/redirect') return Response.redirect('http://127.0.0.1:1/elsewhere')
      if (pathname === '/gzip') {
        return new Response(Bun.gzipSync(Buffer.alloc(1000)), { headers: { 'content-encoding': 'gzip' } })
      }
      if (pathname === '/endless') {
        return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }))
      }
      if (pathname === '/silent') return new Promise<Response>(() => {})
      return new Response(`hello from ${hostname}`)
    },
  })
  servers.push(server)
  return { server, received, port: server.port as number }
}
const servers: Bun.Server<unknown>[] = []
afterAll(() => Promise.all(servers.map((server) => server.stop(true))))

const guard = (options: Partial<GuardOptions>) => new AddressGuard({ allowPrivate: true, ...options })
const get = (guarded: AddressGuard, url: string, signal = AbortSignal.timeout(5000)) =>
  guarded.send({ url, method: 'GET', signal })

describe('a request', () => {
  test('is sent to the checked address, although the name resolves to another one later', async () => {
    const checked = listen('127.0.0.1', 0)
    const later = listen('127.0.0.2', checked.port)
    let lookups = 0
    const resolve = async () => (lookups++ === 0 ? ['127.0.0.1'] : ['127.0.0.2'])
    const answer = await get(guard({ resolve }), `http://changing.example.com:${checked.port}/a`)
    expect(await answer.text()).toBe('hello from 127.0.0.1')
    expect([lookups, later.received]).toEqual([1, []])
    expect(checked.received).toMatchObject([{ host: `changing.example.com:${checked.port}`, path: '/a' }])
  })

  test('to a name with one private address is not sent', async () => {
    const { received } = listen('127.0.0.1', 0)
    for (const bad of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:7f00:1', '169.254.169.254', 'fd00::1', 'nonsense']) {
      const strict = guard({ allowPrivate: false, resolve: async () => ['93.184.216.34', bad, '2606:4700::1'] })
      await expect(get(strict, 'https://mixed.example.com')).rejects.toThrow(AddressRefused)
    }
    expect(received).toEqual([])
  })

  test('to a refused URL is not resolved', async () => {
    let lookups = 0
    const strict = guard({ allowPrivate: false, resolve: async () => [String(lookups++)] })
    for (const url of ['https://127.0.0.1', 'http://example.com', 'https://localhost.', 'https://[::ffff:7f00:1]']) {
      await expect(get(strict, url)).rejects.toThrow(AddressRefused)
    }
    expect(lookups).toBe(0)
  })

  test('is sent to the next address if the connection is refused', async () => {
    const { port } = listen('127.0.0.3', 0)
    const resolve = async () => ['127.0.0.4', '127.0.0.3']
    expect(await (await get(guard({ resolve }), `http://two.example.com:${port}`)).text()).toBe('hello from 127.0.0.3')
    await expect(get(guard({ resolve: async () => ['127.0.0.4'] }), `http://one.example.com:${port}`)).rejects.toThrow(
      Unreachable,
    )
  })

  test('to a name without an address is Unreachable', async () => {
    await expect(get(guard({ resolve: async () => [] }), 'https://none.example.com')).rejects.toThrow(Unreachable)
    const failing = guard({ resolve: () => Promise.reject(new Error('NXDOMAIN')) })
    await expect(get(failing, 'https://none.example.com')).rejects.toThrow(Unreachable)
  })

  test('ends at the signal while the resolver hangs', async () => {
    const hanging = guard({ resolve: () => new Promise(() => {}) })
    await expect(get(hanging, 'https://slow.example.com', AbortSignal.timeout(50))).rejects.toThrow(/timed out/)
  })
})

describe('over TLS', () => {
  test('the certificate is verified for the name, at the checked address', async () => {
    const { port, received } = listen('127.0.0.1', 0, { cert: PINNED_CERTIFICATE, key: PINNED_KEY })
    const answer = await get(
      guard({ resolve: async () => ['127.0.0.1'], ca: AUTHORITY }),
      `https://pinned.example.com:${port}/x`,
    )
    expect(answer.status).toBe(200)
    expect(received[0]?.host).toBe(`pinned.example.com:${port}`)
  })

  test('the name is sent as SNI', async () => {
    const received: string[] = []
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: [
        { cert: OTHER_CERTIFICATE, key: OTHER_KEY, serverName: 'other.example.com' },
        { cert: PINNED_CERTIFICATE, key: PINNED_KEY, serverName: 'pinned.example.com' },
      ],
      fetch: (request) => {
        received.push(request.headers.get('host') ?? '')
        return new Response('')
      },
    })
    servers.push(server)
    const guarded = guard({ resolve: async () => ['127.0.0.1'], ca: AUTHORITY })
    for (const name of ['pinned', 'other', 'pinned']) {
      expect((await get(guarded, `https://${name}.example.com:${server.port}/`)).status).toBe(200)
    }
    expect(received).toEqual(['pinned', 'other', 'pinned'].map((name) => `${name}.example.com:${server.port}`))
  })

  test.each([
    ['of another name', { resolve: async () => ['127.0.0.1'], ca: AUTHORITY }, 'third.example.com'],
    ['of an unknown authority', { resolve: async () => ['127.0.0.1'] }, 'pinned.example.com'],
    ['for an address', { ca: AUTHORITY }, '127.0.0.1'],
  ])('a certificate %s is refused', async (_, options, name) => {
    const { port, received } = listen('127.0.0.1', 0, { cert: PINNED_CERTIFICATE, key: PINNED_KEY })
    await expect(get(guard(options), `https://${name}:${port}/`)).rejects.toThrow(/certificate is not valid/)
    expect(received).toEqual([])
  })

  test('a connection is not reused for another name at the same address', async () => {
    const { port, received } = listen('127.0.0.1', 0, { cert: PINNED_CERTIFICATE, key: PINNED_KEY })
    const guarded = guard({ resolve: async () => ['127.0.0.1'], ca: AUTHORITY })
    await (await get(guarded, `https://pinned.example.com:${port}/`)).text()
    await expect(get(guarded, `https://other.example.com:${port}/`)).rejects.toThrow(/certificate is not valid/)
    expect(received).toHaveLength(1)
  })
})

describe('a response', () => {
  const { port } = listen('127.0.0.1', 0)
  const at = (path: string, signal?: AbortSignal) => get(guard({}), `http://127.0.0.1:${port}${path}`, signal)

  test('with a redirect is returned', async () => {
    const answer = await at('/redirect')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/elsewhere'])
  })

  test('is not decompressed', async () => {
    const { bytes } = await readAtMost(await at('/gzip'), 10_000)
    expect(Buffer.from(Bun.gunzipSync(new Uint8Array(bytes))).equals(Buffer.alloc(1000))).toBe(true)
  })

  test('without an end is read up to maxBytes', async () => {
    const { bytes, isWhole } = await readAtMost(await at('/endless'), 100_000)
    expect([bytes.byteLength, isWhole]).toEqual([100_000, false])
  })

  test('that never begins or never ends is ended by the signal', async () => {
    await expect(at('/silent', AbortSignal.timeout(50))).rejects.toThrow(/timed out/)
    const endless = at('/endless', AbortSignal.timeout(100))
    await expect(endless.then((answer) => readAtMost(answer, Number.MAX_SAFE_INTEGER))).rejects.toThrow(/timed out/)
  })
})
