import { afterAll, describe, expect, test } from 'bun:test'
import { testDatabase } from '../testing/database.ts'
import { TEST_PASSWORD, testMarketplace } from '../testing/marketplace.ts'
import { TcpProxy } from '../testing/proxy.ts'
import { until } from '../testing/until.ts'

const db = await testDatabase()
const proxy = new TcpProxy(db.ownerUrl)
const market = await testMarketplace({}, { ...db, urlOf: (service) => throughProxy(db.urlOf(service)) })
// Registered last, so that the services close their connections first.
afterAll(() => proxy.close())
const org = await market.organization(['IP_OWNER'])
const { client, email } = org.administrator

function throughProxy(url: string): string {
  const proxied = new URL(url)
  proxied.port = new URL(proxy.url).port
  return proxied.href
}

const signIn = () =>
  market.anonymous.post<{ error?: { code: string } }>('/v2.3/oauth/token', {
    grant_type: 'password',
    username: email,
    password: TEST_PASSWORD,
  })

describe('while Postgres is unreachable', () => {
  test('requests are 503 with Retry-After in both envelopes', async () => {
    expect((await client.get('/v1/parts')).status).toBe(200)
    proxy.cut()
    const parts = await client.get<{ code: string }>('/v1/parts')
    expect([parts.status, parts.body.code, parts.headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
    const token = await signIn()
    expect([token.status, token.body.error?.code]).toEqual([503, 'unavailable'])
    const create = await client.post<{ code: string }>('/v1/parts', { title: 'x' })
    expect([create.status, create.body.code]).toEqual([503, 'unavailable'])
  }, 60_000)

  test('readiness, liveness and metrics are 200', async () => {
    for (const path of ['livez', 'readyz', 'metrics']) {
      expect((await fetch(`http://127.0.0.1:${market.running.healthPort}/${path}`)).status).toBe(200)
    }
  }, 60_000)

  test('a token that cannot be verified is 503', async () => {
    // Catalogs are served from memory, so only token verification needs Postgres, after five seconds without the bus.
    await until(async () => (await client.get('/v1/materials')).status === 503, { withinMs: 20_000 })
  }, 60_000)

  test('the services recover without a restart', async () => {
    proxy.restore()
    await until(async () => (await client.get('/v1/parts')).status === 200, { withinMs: 30_000 })
    await until(async () => (await signIn()).status === 200, { withinMs: 30_000 })
    expect((await client.post('/v1/parts', { title: 'x' })).status).toBe(200)
  }, 60_000)
})
