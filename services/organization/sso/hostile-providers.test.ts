import { afterEach, describe, expect, test } from 'bun:test'
import { AddressGuard } from '../../kit/addresses/guard.ts'
import { KeyedSemaphore } from '../../kit/limits/keyed-semaphore.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { TestDns } from '../../testing/dns.ts'
import { FORGERIES, HostileProvider } from '../../testing/hostile-provider.ts'
import { CLIENT } from '../../testing/identity-provider.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { type Problem, patch } from '../../testing/people.ts'
import { createdProvider, PROVIDERS, prove, TestBrowser } from '../../testing/sso.ts'
import { Oidc, ProviderFailed } from './oidc.ts'

const dns = new TestDns()
const settings = { ALLOW_PRIVATE_ADDRESSES: 'true', TRUSTED_PROXIES: '1' }
const market = await marketplaceOf(['sourcing'], settings, undefined, {
  resolveTxt: dns.resolveTxt,
})
const { client: admin } = (await market.organization(['IP_OWNER'])).administrator
const hostile = new HostileProvider()
const provider = await createdProvider(admin, { issuer: hostile.issuer, domains: ['hostile.example.net'] })
await prove(admin, dns, provider, 'hostile.example.net')
afterEach(() => hostile.reset())

/** Another secret, so that nothing of the provider is cached. */
const forget = () => patch(admin, `${PROVIDERS}/${provider.id}`, { clientSecret: CLIENT.clientSecret })

/** Signs in. Returns the word of the fragment. */
async function outcome(): Promise<string> {
  const browser = new TestBrowser(market)
  const url = new URL((await browser.start('a@hostile.example.net')) as string)
  hostile.nonce = url.searchParams.get('nonce') ?? ''
  const query = new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' })
  const fragment = await browser.land(`${provider.redirectUrl}?${query}`)
  return fragment.startsWith('sso=') ? 'signed in' : fragment
}

async function startStatus(): Promise<{ status: number; body: Problem }> {
  const response = await new TestBrowser(market).post('/flows/v1/sso/start', { email: 'a@hostile.example.net' })
  return { status: response.status, body: (await response.json()) as Problem }
}

test('20,000 sign-ins under way refuse another one, and expired ones do not count', async () => {
  const { owner } = market.db
  await owner`
    insert into organization.sso_flows
      (state_hash, org_id, provider_id, version, browser_hash, nonce, code_verifier, network, created_at, expires_at)
    select sha256(n::text::bytea), p.org_id, p.id, p.version, sha256(n::text::bytea), 'n', 'v', 'flood', now(),
      now() + interval '10 minutes'
    from organization.identity_providers p cross join generate_series(1, 20000) n where p.id = ${provider.id}`
  expect((await startStatus()).status).toBe(429)
  await owner`update organization.sso_flows set expires_at = now() - interval '1 second' where network = 'flood'`
  expect((await startStatus()).status).toBe(200)
  await owner`delete from organization.sso_flows where network = 'flood'`
})

test('the networks of one /48 of IPv6 begin at most 2,000, so that one client keeps out no other', async () => {
  const { owner } = market.db
  await owner`
    insert into organization.sso_flows
      (state_hash, org_id, provider_id, version, browser_hash, nonce, code_verifier, network, created_at, expires_at)
    select sha256(n::text::bytea), p.org_id, p.id, p.version, sha256(n::text::bytea), 'n', 'v',
      '2001:db8:9:' || to_hex(n % 100 + 1) || '::/64', now(), now() + interval '10 minutes'
    from organization.identity_providers p cross join generate_series(1, 1999) n where p.id = ${provider.id}`
  await owner`analyze organization.sso_flows`
  const from = async (address: string) => {
    const headers = { 'x-forwarded-for': address }
    const body = { email: 'a@hostile.example.net' }
    return (await new TestBrowser(market).post('/flows/v1/sso/start', body, headers)).status
  }
  expect([await from('2001:db8:9:aaaa::1'), await from('2001:db8:9:bbbb::1')]).toEqual([200, 429])
  expect([await from('2001:db8:90::1'), await from('198.51.100.1')]).toEqual([200, 200])
  await owner`delete from organization.sso_flows where network like '2001:db8:9:%'`
})

test('the provider signs in while nothing is forged', async () => {
  expect(await outcome()).toBe('signed in')
})

describe('an id token', () => {
  test.each(Object.entries(FORGERIES))('with %s is refused', async (_, sign) => {
    hostile.sign = sign
    expect(await outcome()).toBe('sso-problem=provider')
  })

  test.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://login.example.com' }],
    ['another audience', { aud: 'another client' }],
    ['several audiences, and another authorized party', { aud: [CLIENT.clientId, 'x'], azp: 'x' }],
    ['another nonce', { nonce: 'another' }],
    ['no nonce', { nonce: undefined }],
    ['an expiry in the past', { exp: Math.floor(Date.now() / 1000) - 60 }],
    ['no expiry', { exp: undefined }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject with a NUL', { sub: 'a\0b' }],
    ['a subject of 256 characters', { sub: 'a'.repeat(256) }],
  ])('with %s is refused', async (_, claims) => {
    hostile.claims = claims
    expect(await outcome()).toBe('sso-problem=provider')
  })

  test.each<[string, Record<string, unknown>]>([
    ['a list instead of an address', { email: ['forged@hostile.example.net'] }],
    ['two addresses in one', { email: 'a@hostile.example.net,b@elsewhere.example.net' }],
    ['an address of another domain after the proved one', { email: 'a@hostile.example.net@elsewhere.example.net' }],
    ['an address in angle brackets', { email: '<a@hostile.example.net>' }],
    ['an address with a NUL', { email: 'a\0@hostile.example.net' }],
    ['a word as the confirmation', { email_verified: 'yes' }],
    ['one as the confirmation', { email_verified: 1 }],
    ['a denial beside the claim of Entra ID', { email_verified: false, xms_edov: true }],
  ])('with %s signs in no one', async (_, claims) => {
    hostile.claims = { sub: crypto.randomUUID(), ...claims }
    expect(await outcome()).toBe('sso-problem=email')
  })

  test('may have hostile names, which become one line', async () => {
    hostile.claims = {
      sub: 'names',
      email: 'names@hostile.example.net',
      given_name: 'Ada\u202e\nBerg\0',
      family_name: 'x'.repeat(500),
    }
    expect(await outcome()).toBe('signed in')
    const { body } = await admin.get<{ items: { givenName: string; familyName: string }[] }>('/v1/users?q=names@')
    expect(body.items[0]).toMatchObject({ givenName: 'Ada Berg', familyName: 'x'.repeat(100) })
  })
})

describe('a discovery document', () => {
  test.each<[string, Record<string, unknown>]>([
    ['another issuer', { issuer: 'https://login.example.com' }],
    ['no authorization endpoint', { authorization_endpoint: undefined }],
    ['a script as the authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a file as the authorization endpoint', { authorization_endpoint: 'file:///etc/passwd' }],
  ])('with %s begins no sign-in', async (_, discovery) => {
    await forget()
    hostile.discovery = discovery
    expect((await startStatus()).status).toBe(503)
  })

  test.each<[string, () => Response]>([
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/elsewhere')],
    ['too long', () => new Response(`{"issuer":"${'x'.repeat(300_000)}"}`)],
    ['endless', () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65_536)) }))],
    ['not JSON', () => new Response('<html>')],
    ['a list', () => Response.json([])],
    ['an error', () => new Response('secret text', { status: 500 })],
  ])('that is %s begins no sign-in and tells nothing of it', async (_, answer) => {
    await forget()
    hostile.answers.set('/.well-known/openid-configuration', answer)
    const { status, body } = await startStatus()
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(JSON.stringify(body)).not.toMatch(/elsewhere|secret|html|xxx/)
  })
})

describe('an answer of the token endpoint', () => {
  test.each<[string, string, () => Response]>([
    ['a redirect', '/token', () => Response.redirect('http://127.0.0.1:1/elsewhere')],
    ['an error', '/token', () => Response.json({ error: 'invalid_grant' }, { status: 400 })],
    ['without an id token', '/token', () => Response.json({ access_token: 'a', token_type: 'Bearer' })],
    ['with keys that redirect', '/jwks', () => Response.redirect('http://127.0.0.1:1/elsewhere')],
    ['with keys that are none', '/jwks', () => Response.json({ keys: 'none' })],
  ])('that is %s is refused', async (_, path, answer) => {
    await forget()
    hostile.answers.set(path, answer)
    expect(await outcome()).toBe('sso-problem=provider')
  })

  test('of another subject at the userinfo endpoint is refused', async () => {
    await forget()
    hostile.discovery = { userinfo_endpoint: `${hostile.issuer}/me` }
    hostile.answers.set('/me', () => Response.json({ sub: 'another', email: 'forged@hostile.example.net' }))
    expect(await outcome()).toBe('sso-problem=provider')
  })
})

describe('an issuer', () => {
  test.each([
    'https://127.0.0.1',
    'https://localhost.',
    'https://[::1]',
    'https://0x7f000001',
    'https://169.254.169.254',
    'https://10.0.0.1',
    'http://login.example.com',
  ])('%s is refused where private addresses are', (issuer) => {
    expect(new AddressGuard({ allowPrivate: false }).problemOf(issuer)).toBeString()
  })

  test('whose name leads to a private address is not asked', async () => {
    const guard = new AddressGuard({ allowPrivate: false, resolve: async () => ['127.0.0.1'] })
    const box = await createSecretBox(market.config.ENCRYPTION_KEYS)
    const permits = new KeyedSemaphore({ what: 'requests', permits: 1, permitsPerKey: 1 })
    const oidc = new Oidc({ allowPrivate: false, guard, box, permits })
    const settings = {
      id: 'idp_1',
      org_id: 'org_1',
      issuer: 'https://inside.example.com',
      clientId: 'x',
      clientSecret: await box.encrypt('x'),
      version: 1,
    }
    const begun = oidc.begin(settings, { redirectUrl: 'https://market.example.com/' }, AbortSignal.timeout(5000))
    await expect(begun).rejects.toThrow(ProviderFailed)
  })
})
