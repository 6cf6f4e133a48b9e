import { afterAll, describe, expect, test } from 'bun:test'
import { TestDns } from '../../testing/dns.ts'
import { TestIdentityProvider } from '../../testing/identity-provider.ts'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { addPasskey, PASSKEYS, requireSecondFactor, SignInBrowser, signsInByPassword } from '../../testing/passkeys.ts'
import { entriesOf, type Problem, patch } from '../../testing/people.ts'
import { createdProvider, PROVIDERS, prove, TestBrowser } from '../../testing/sso.ts'

const dns = new TestDns()
const settings = { ALLOW_PRIVATE_ADDRESSES: 'true', TRUSTED_PROXIES: '1' }
const market = await marketplaceOf([], settings, undefined, { resolveTxt: dns.resolveTxt })
const idp = await TestIdentityProvider.start()
afterAll(() => idp.stop())

const company = await market.organization(['CONSUMER'], {
  administrator: { email: 'admin@company.example.net', givenName: 'A', familyName: 'B' },
})
const { client: admin, userId: adminId } = company.administrator
const provider = await createdProvider(admin, { issuer: idp.issuer, domains: ['company.example.net'] })
await idp.register(provider.redirectUrl)
await prove(admin, dns, provider, 'company.example.net')

const { body: person } = await admin.post<{ id: string; activationUrl: string }>('/flows/v1/users', {
  email: 'person@company.example.net',
  givenName: 'P',
  familyName: 'Q',
})
await market.anonymous.activate(person.activationUrl.split('#')[1] as string, TEST_PASSWORD)

const bySso = async () => {
  idp.signsIn({ sub: 'person', email: 'person@company.example.net', email_verified: true })
  const browser = new TestBrowser(market)
  return browser.exchange(await browser.visit('person@company.example.net'))
}
const refreshed = async (refresh_token: string) =>
  (await market.anonymous.post('/v2.3/oauth/token', { grant_type: 'refresh_token', refresh_token })).status

describe('a person of an identity provider', () => {
  test('that is not enforced signs in there without a passkey, and goes on; the password alone does not', async () => {
    await requireSecondFactor(market, admin)
    const { status, body } = await bySso()
    expect([status, body.email, await refreshed(body.refresh_token)]).toEqual([200, 'person@company.example.net', 200])
    expect(await signsInByPassword(market, 'person@company.example.net')).toBe(401)
    const step = await new SignInBrowser(market).password('person@company.example.net')
    expect(Object.keys(step.body)).toEqual(['firstPasskey'])
  })

  test('that is enforced has no passkeys: those from before sign in no one, and the audit log says why', async () => {
    const { body: tokens } = await bySso()
    admin.accessToken = admin.accessToken as string
    const client = Object.assign(Object.create(admin), { accessToken: tokens.access_token }) as typeof admin
    const { authenticator } = await addPasskey(market, client)
    expect((await new SignInBrowser(market).byPasskey(authenticator)).status).toBe(200)

    const browser = new TestBrowser(market)
    idp.signsIn({ sub: 't', email: 'tester@company.example.net', email_verified: true })
    await browser.land(await browser.toCallback(await browser.startTest(admin, provider.id)))
    const enforced = await patch(admin, `${PROVIDERS}/${provider.id}`, { enforce: true, breakGlassUserId: adminId })
    expect(enforced.status).toBe(200)

    const refused = await new SignInBrowser(market).byPasskey(authenticator)
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_credentials'])
    expect((await entriesOf(market, company.orgId, 'auth.signIn')).at(-1)).toMatchObject({
      success: false,
      request: { reason: 'identity_provider_enforced' },
    })
    const started = await client.post<Problem>(`${PASSKEYS}/start`, { currentPassword: TEST_PASSWORD })
    expect([started.status, started.body.detail]).toEqual([
      409,
      'You sign in by the identity provider of your organization.',
    ])
    // Neither the password nor the passkey is asked for: the provider is.
    expect((await new SignInBrowser(market, '203.0.113.2').password('person@company.example.net')).status).toBe(401)
    const again = await bySso()
    expect([again.status, await refreshed(again.body.refresh_token)]).toEqual([200, 200])
  })

  test('the break-glass administrator keeps the password, and needs the passkey beside it', async () => {
    expect(await signsInByPassword(market, 'admin@company.example.net')).toBe(401)
    const step = await new SignInBrowser(market).password('admin@company.example.net')
    expect(Object.keys(step.body)).toEqual(['passkey'])
  })
})
