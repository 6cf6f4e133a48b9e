import { afterAll, describe, expect, test } from 'bun:test'
import { testDatabase } from '../testing/database.ts'
import { TEST_PASSWORD, testMarketplace } from '../testing/marketplace.ts'
import { TcpProxy } from '../testing/proxy.ts'
import { until } from '../testing/until.ts'

const db = await testDatabase()
const proxy = new TcpProxy(db.ownerUrl)
const market = await testMarketplace(
  { DATABASE_POOL_SIZE: '4' },
  { ...db, urlOf: (service) => throughProxy(db.urlOf(service)) },
)
// Registered last, so that the services close their connections first.
afterAll(() => proxy.close())
const org = await market.organization(['IP_OWNER'])
const { client, email } = org.administrator
/** Its token reaches no service before the outage. */
const unknown = await market.organization(['IP_OWNER'])

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

/** Ten reads, ten commands and a sign-in at the same time. */
async function allAnswer(): Promise<boolean> {
  const ten = <T>(send: () => Promise<T>) => Array.from({ length: 10 }, send)
  const answers = await Promise.all([
    ...ten(() => client.get('/v1/parts')),
    ...ten(() => client.post('/v1/parts', { title: 'x' })),
    signIn(),
  ])
  return answers.every(({ status }) => status === 200)
}

describe('while Postgres is unreachable', () => {
  test('requests are 503 with Retry-After in both envelopes', async () => {
    expect((await client.get('/v1/parts')).status).toBe(200)
    expect((await client.get('/v1/materials')).status).toBe(200)
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

  test('the public keys and the loaded catalogs answer, also after five seconds without the bus; a token that was never verified is 503', async () => {
    const statusOf = async (from: typeof client, path: string) => (await from.get(path)).status
    const startedMs = performance.now()
    // The bus runs on Postgres, and the keys of the tokens count as old after thirty seconds.
    await until(
      async () => {
        expect(await statusOf(market.anonymous, '/.well-known/jwks.json')).toBe(200)
        expect(await statusOf(client, '/v1/materials')).toBe(200)
        return performance.now() - startedMs > 6000
      },
      { withinMs: 30_000 },
    )
    expect(await statusOf(unknown.administrator.client, '/v1/materials')).toBe(503)
    expect(await statusOf(client, '/v1/parts')).toBe(503)
  }, 60_000)

  test('the services recover within two seconds, without a restart', async () => {
    proxy.restore()
    await until(allAnswer, { withinMs: 2000 })
  }, 60_000)
})

describe('while Postgres accepts connections but does not answer', () => {
  const readParts = async () => (await client.get('/v1/parts')).status
  const createPart = async () => (await client.post('/v1/parts', { title: 'x' })).status
  const timed = async (request: () => Promise<number>) => {
    const startedMs = performance.now()
    return [await request(), performance.now() - startedMs] as const
  }

  test('requests in flight are 503 after the deadlines of a statement and of a connect', async () => {
    await until(allAnswer)
    proxy.freeze()
    const requests = Array.from({ length: 60 }, (_, at) => timed(at % 2 === 0 ? readParts : createPart))
    for (const [status, ms] of await Promise.all(requests)) {
      expect([429, 503]).toContain(status)
      expect(ms).toBeLessThan(14_000)
    }
  }, 60_000)

  test('later requests fail at once, except the one that connects', async () => {
    // Any of them may be the one that connects.
    const answers = await Promise.all([timed(readParts), timed(readParts), timed(readParts)])
    expect(answers.map(([status]) => status)).toEqual([503, 503, 503])
    expect(answers.filter(([, ms]) => ms < 1000).length).toBeGreaterThanOrEqual(2)
  }, 60_000)

  test('the services recover within two seconds', async () => {
    proxy.restore()
    await until(allAnswer, { withinMs: 2000 })
  }, 60_000)
})
