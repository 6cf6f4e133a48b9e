import { expect, test } from 'bun:test'
import { TestDns } from '../../testing/dns.ts'
import { HostileProvider } from '../../testing/hostile-provider.ts'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { createdProvider, prove, TestBrowser } from '../../testing/sso.ts'

test('a provider that hangs delays no other sign-in, and ends with 503 within eleven seconds', async () => {
  const dns = new TestDns()
  const market = await marketplaceOf(['sourcing'], { ALLOW_PRIVATE_ADDRESSES: 'true' }, undefined, {
    resolveTxt: dns.resolveTxt,
  })
  const [slow, other] = [await market.organization(['IP_OWNER']), await market.organization(['IP_OWNER'])]
  const [hanging, healthy] = [new HostileProvider(), new HostileProvider()]
  for (const [org, provider, domain] of [
    [slow, hanging, 'slow.example.net'],
    [other, healthy, 'healthy.example.net'],
  ] as const) {
    const { client } = org.administrator
    await prove(client, dns, await createdProvider(client, { issuer: provider.issuer, domains: [domain] }), domain)
  }
  hanging.answers.set('/.well-known/openid-configuration', () => new Promise(() => {}))
  const startedMs = performance.now()
  const start = (email: string) => new TestBrowser(market).post('/flows/v1/sso/start', { email })
  const waiting = Array.from({ length: 30 }, () => start('a@slow.example.net'))
  expect((await start('a@healthy.example.net')).status).toBe(200)
  const { email: username } = slow.administrator
  const password = { grant_type: 'password', username, password: TEST_PASSWORD }
  expect((await market.anonymous.post('/v2.3/oauth/token', password)).status).toBe(200)
  expect(performance.now() - startedMs).toBeLessThan(3000)
  const statuses = new Set((await Promise.all(waiting)).map(({ status }) => status))
  expect([...statuses].sort()).toEqual([429, 503])
  expect(performance.now() - startedMs).toBeLessThan(11_500)
}, 30_000)
