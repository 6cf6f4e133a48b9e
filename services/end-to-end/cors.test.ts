import { afterAll, describe, expect, test } from 'bun:test'
import { allVariables } from '../all/config.ts'
import { readConfig } from '../kit/config/read.ts'
import { testDatabase } from '../testing/database.ts'
import { testMarketplace } from '../testing/marketplace.ts'
import { TcpProxy } from '../testing/proxy.ts'

const APP = 'https://app.example.com'
const db = await testDatabase()
const proxy = new TcpProxy(db.ownerUrl)
const throughProxy = (url: string) => Object.assign(new URL(url), { port: new URL(proxy.url).port }).href
const market = await testMarketplace(
  { CORS_ORIGINS: `${APP}, http://localhost:5173` },
  { ...db, urlOf: (service) => throughProxy(db.urlOf(service)) },
)
// Registered last, so that the services close their connections first.
afterAll(() => proxy.close())
const { client } = (await market.organization(['IP_OWNER'])).administrator

const from = (origin: string, headers: Record<string, string> = {}) => ({ headers: { origin, ...headers } })
const listOf = (headers: Headers, name: string) => (headers.get(name) ?? '').split(',').map((item) => item.trim())

describe('a page of an allowed origin', () => {
  test.each([APP, 'http://localhost:5173'])(
    '%s may read a response and its headers, without cookies',
    async (origin) => {
      const { status, headers } = await client.get('/v1/parts', from(origin))
      expect(status).toBe(200)
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.has('access-control-allow-credentials')).toBe(false)
      expect(listOf(headers, 'vary').sort()).toEqual(['Authorization', 'Origin'])
      for (const name of ['ETag', 'Link', 'Location', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id']) {
        expect(listOf(headers, 'access-control-expose-headers')).toContain(name)
      }
    },
  )

  test('keeps the length of the body', async () => {
    const { headers, text } = await client.get('/v1/criticalities', from(APP))
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  })

  test('sends a preflight request and gets 204 with Allow and what may be sent', async () => {
    const asked = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' }
    const { status, headers } = await market.anonymous.send('OPTIONS', '/flows/v1/parts/part_1', from(APP, asked))
    expect(status).toBe(204)
    expect(headers.get('allow')).toBe('PATCH, DELETE, OPTIONS')
    expect(headers.get('access-control-allow-origin')).toBe(APP)
    expect(headers.get('access-control-max-age')).toBe('600')
    expect(listOf(headers, 'access-control-allow-methods')).toContain('PATCH')
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Range']) {
      expect(listOf(headers, 'access-control-allow-headers')).toContain(name)
    }
  })

  test.each([
    ['a malformed request', 400, () => client.get('/v1/parts?page=0', from(APP))],
    ['no token', 401, () => market.anonymous.get('/v1/parts', from(APP))],
    ['an unknown path', 404, () => client.get('/v1/nope', from(APP))],
    ['an unknown record', 404, () => client.get('/v1/parts/part_1', from(APP))],
    ['another method', 405, () => client.send('PUT', '/v1/parts', from(APP))],
    ['a long body', 413, () => client.send('POST', '/v1/parts', { ...from(APP), body: 'x'.repeat(1024 * 1024 + 1) })],
    ['a long URL', 414, () => client.get(`/v1/parts/${'x'.repeat(20_000)}`, from(APP))],
    [
      'another media type',
      415,
      () => client.send('POST', '/v1/parts', { ...from(APP, { 'content-type': 'text/plain' }), body: 'x' }),
    ],
    [
      'a wrong password',
      401,
      () =>
        client.send('POST', '/v2.3/oauth/token', {
          ...from(APP),
          body: { grant_type: 'refresh_token', refresh_token: 'x' },
        }),
    ],
  ] as const)('may read the error for %s: %d', async (_, status, send) => {
    const answer = await send()
    expect(answer.status).toBe(status)
    expect(answer.headers.get('access-control-allow-origin')).toBe(APP)
    expect(listOf(answer.headers, 'vary')).toContain('Origin')
  })

  test('may read 429 and its Retry-After', async () => {
    const small = await testMarketplace({ CORS_ORIGINS: APP, RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1' })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => small.anonymous.get('/.well-known/jwks.json', from(APP))),
    )
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect(refused?.headers.get('access-control-allow-origin')).toBe(APP)
  })
})

test.each([
  'https://evil.example.com',
  'https://app.example.com.evil.example',
  'http://app.example.com',
  'null',
  APP.toUpperCase(),
])('a page of the origin %s may read nothing, and caches keep its response apart', async (origin) => {
  const { headers } = await client.get('/v1/parts', from(origin))
  expect(headers.has('access-control-allow-origin')).toBe(false)
  expect(listOf(headers, 'vary')).toContain('Origin')
})

test('without CORS_ORIGINS no response has CORS headers', async () => {
  const closed = await testMarketplace()
  for (const method of ['GET', 'OPTIONS']) {
    const { headers } = await closed.anonymous.send(method, '/v1/parts', from(APP))
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-') || name === 'vary')).toEqual([])
  }
})

describe('CORS_ORIGINS', () => {
  const environment = {
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
    FILES_FOLDER: '/tmp',
    ...Object.fromEntries(
      ['IDENTITY', 'CATALOG', 'SOURCING', 'ORGANIZATION', 'WEBHOOKS'].map((name) => [
        `${name}_DATABASE_URL`,
        db.ownerUrl,
      ]),
    ),
  }

  test.each([
    '*',
    'null',
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://app.example.com:443',
    'https://App.example.com',
    'https://*.example.com',
    `${APP} http://localhost:5173`,
    `${APP},ftp://files.example.com`,
  ])('%s is refused at the start', (value) => {
    expect(() => readConfig(allVariables, { ...environment, CORS_ORIGINS: value })).toThrow('CORS_ORIGINS is not valid')
  })
})

test('a page may read 503 while Postgres is unreachable', async () => {
  proxy.cut()
  const { status, headers } = await client.get('/v1/parts', from(APP))
  expect([status, headers.get('retry-after')]).toEqual([503, '1'])
  expect(headers.get('access-control-allow-origin')).toBe(APP)
})
