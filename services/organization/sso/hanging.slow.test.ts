import { expect, test } from 'bun:test'
import { TestDns } from '../../testing/dns.ts'
import { HostileProvider } from '../../testing/hostile-provider.ts'
import { CLIENT } from '../../testing/identity-provider.ts'
import { marketplaceOf, TEST_PASSWORD, type TestOrganization } from '../../testing/marketplace.ts'
import { patch } from '../../testing/people.ts'
import { createdProvider, PROVIDERS, prove, TestBrowser } from '../../testing/sso.ts'

test('a provider that hangs delays no other sign-in, and ends with 503 within eleven seconds', async () => {
  const dns = new TestDns()
  const market = await marketplaceOf(['sourcing'], { ALLOW_PRIVATE_ADDRESSES: 'true' }, undefined, {
    resolveTxt: dns.resolveTxt,
  })
  const [slow, other] = [await market.organization(['IP_OWNER']), await market.organization(['IP_OWNER'])]
  const [hanging, healthy] = [new HostileProvider(), new HostileProvider()]
  const proved = async (org: TestOrganization, { issuer }: HostileProvider, domain: string) => {
    const provider = await createdProvider(org.administrator.client, { issuer, domains: [domain] })
    await prove(org.administrator.client, dns, provider, domain)
    return provider
  }
  const { id } = await proved(slow, hanging, 'slow.example.net')
  await proved(other, healthy, 'healthy.example.net')
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

  // It is not asked again for some seconds, unless an administrator changes it.
  const asked = hanging.asked.length
  const again = await start('a@slow.example.net')
  expect([again.status, again.headers.get('retry-after'), hanging.asked.length]).toEqual([503, '1', asked])
  hanging.reset()
  expect((await start('a@slow.example.net')).status).toBe(503)
  expect((await patch(slow.administrator.client, `${PROVIDERS}/${id}`, { name: 'New name' })).status).toBe(200)
  expect((await start('a@slow.example.net')).status).toBe(503)
  const { clientSecret } = CLIENT
  expect((await patch(slow.administrator.client, `${PROVIDERS}/${id}`, { clientSecret })).status).toBe(200)
  expect((await start('a@slow.example.net')).status).toBe(200)
}, 30_000)
