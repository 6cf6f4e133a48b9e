import { describe, expect, test } from 'bun:test'
import { type Fate, interruptedFetch } from '../../../../services/testing/interrupted-fetch.ts'
import { marketplaceWithWorkers } from '../../../../services/testing/marketplace.ts'
import { takesIdempotencyKey } from '../../../http/operation.ts'
import { OPERATIONS } from '../../../http/operations.ts'
import { accessToken, createMarketplace, NetworkError, type TransportOptions } from '../src/index.ts'
import { WITHOUT_KEY } from '../src/transport.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { client: admin } = (await market.organization(['IP_OWNER'])).administrator
const credentials = accessToken(admin.accessToken ?? '')
const PARTS = '/v1/parts'

function clientWith(fates: readonly Fate[], options: Partial<TransportOptions> = {}) {
  const requests = interruptedFetch(PARTS, fates)
  return { ...createMarketplace({ url: market.url, credentials, ...options, fetch: requests.fetch }), ...requests }
}
const partsNamed = async (title: string) =>
  (await market.db.owner`select id from sourcing.parts where document::json ->> 'title' = ${title}`).length

describe('a read', () => {
  test.each<[string, Fate]>([
    ['503', { status: 503 }],
    ['429 with Retry-After', { status: 429, retryAfter: '0' }],
    ['a lost request', 'lose request'],
    ['a lost answer', 'lose answer'],
  ])('is repeated after %s', async (_, fate) => {
    const client = clientWith([fate])
    expect((await client.GET(PARTS)).data.items).toEqual([])
    expect(client.sent).toHaveLength(2)
  })

  test('waits as long as Retry-After says', async () => {
    const client = clientWith([{ status: 429, retryAfter: '1' }])
    const began = performance.now()
    await client.GET(PARTS)
    expect(performance.now() - began).toBeGreaterThanOrEqual(1000)
  })

  test.each<[string, Fate]>([
    ['500', { status: 500 }],
    ['404', { status: 404 }],
    ['a Retry-After of an hour', { status: 429, retryAfter: '3600' }],
  ])('is not repeated after %s', async (_, fate) => {
    const client = clientWith([fate])
    const error = await client.GET(PARTS).catch((each) => each)
    expect([error.name, error.status]).toEqual(['ApiError', (fate as { status: number }).status])
    expect(client.sent).toHaveLength(1)
  })

  test('ends after the last attempt with what it met', async () => {
    const busy = { status: 503, retryAfter: '0' }
    const client = clientWith([busy, busy, busy], { maxRetries: 2 })
    const error = await client.GET(PARTS).catch((each) => each)
    expect([error.status, client.sent.length]).toEqual([503, 3])
    const lost = clientWith(['lose request', 'lose request'], { maxRetries: 1 })
    await expect(lost.GET(PARTS)).rejects.toThrow('fetch failed')
  })
})

describe('a command', () => {
  test('whose answer is lost is repeated with its key, and done once', async () => {
    const title = crypto.randomUUID()
    const client = clientWith(['lose answer', { status: 503, retryAfter: '0' }])
    const { data } = await client.POST(PARTS, { body: { title } })
    expect(data.serialNumber).toMatch(/^P-/)
    const keys = new Set(client.sent.map(({ headers }) => headers.get('idempotency-key')))
    expect([client.sent.length, keys.size, await partsNamed(title)]).toEqual([3, 1, 1])
  })

  test('that is still running is asked for its answer again', async () => {
    const title = crypto.randomUUID()
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    // The first attempt holds the key while it waits for this lock.
    const holder = market.db.owner.begin(async (tx) => {
      await tx`lock table sourcing.parts in exclusive mode`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const client = clientWith([], { timeoutMs: 400 })
    const created = client.POST(PARTS, { body: { title } })
    await untilSent(client, 3)
    release.resolve()
    await holder
    expect((await created).data.serialNumber).toMatch(/^P-/)
    expect(await partsNamed(title)).toBe(1)
  })

  test('keeps a key that you choose', async () => {
    const key = crypto.randomUUID()
    const create = () =>
      clientWith([]).POST(PARTS, { body: { title: 'Impeller' }, params: { header: { 'Idempotency-Key': key } } })
    expect((await create()).data).toEqual((await create()).data)
  })
})

async function untilSent(client: { sent: unknown[] }, count: number): Promise<void> {
  while (client.sent.length < count) await Bun.sleep(10)
}

describe('a time-out and an abort', () => {
  test('end a request to a server that hangs', async () => {
    using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise<Response>(() => {}) })
    const url = `http://127.0.0.1:${server.port}`
    const client = createMarketplace({ url, credentials, timeoutMs: 50, maxRetries: 1 })
    const error = await client.GET(PARTS).catch((each) => each)
    expect(error).toBeInstanceOf(NetworkError)
    expect(error.message).toBe(`GET ${url}/v1/parts has no answer after 2 attempts: The operation timed out.`)
    expect(error.cause).toMatchObject({ name: 'TimeoutError' })
    const aborted = new AbortController()
    const request = createMarketplace({ url, credentials }).GET(PARTS, { signal: aborted.signal })
    aborted.abort()
    await expect(request).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('end the wait for the next attempt', async () => {
    const aborted = new AbortController()
    const client = clientWith([{ status: 503, retryAfter: '30' }])
    const request = client.GET(PARTS, { signal: aborted.signal })
    await untilSent(client, 1)
    aborted.abort()
    await expect(request).rejects.toMatchObject({ name: 'AbortError' })
    expect(client.sent).toHaveLength(1)
  })
})

test('a request that was aborted before it is sent leaves no failure of its token unhandled', async () => {
  const unhandled: unknown[] = []
  const keep = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', keep)
  try {
    const failing = accessToken(() => Promise.reject(new Error('no token')))
    const client = clientWith([], { credentials: failing })
    await expect(client.GET(PARTS, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    // Rejections without a handler are reported at the end of a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('unhandledRejection', keep)
  }
  expect(unhandled).toEqual([])
})

test('the commands without a key are those of the contract', () => {
  const commands = Object.values(OPERATIONS)
    .flat()
    .filter(({ method, path, acceptsBytes }) => method !== 'GET' && !path.endsWith(':batch-get') && !acceptsBytes)
  for (const operation of commands) {
    expect([operation.id, !WITHOUT_KEY.test(operation.path)]).toEqual([operation.id, takesIdempotencyKey(operation)])
  }
})
