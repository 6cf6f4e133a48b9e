import { afterAll, describe, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../../proto/http/organization/identity-providers.ts'
import { TestDns } from '../../testing/dns.ts'
import { CLIENT, TestIdentityProvider } from '../../testing/identity-provider.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { act, entriesOf, type Page, type Problem, patch } from '../../testing/people.ts'
import { createdProvider, PROVIDERS, prove, providerInput, TestBrowser } from '../../testing/sso.ts'
import { until } from '../../testing/until.ts'

/** No server listens there. */
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' }
const dns = new TestDns()
const market = await marketplaceWithWorkers(['sourcing'], { ...MAIL, ALLOW_PRIVATE_ADDRESSES: 'true' }, undefined, {
  resolveTxt: dns.resolveTxt,
})
const idp = await TestIdentityProvider.start()
afterAll(() => idp.stop())

const input = (more?: Record<string, unknown>) => providerInput(idp, more)

const signInStatus = async (username: string) =>
  (await market.anonymous.post('/v2.3/oauth/token', { grant_type: 'password', username, password: TEST_PASSWORD }))
    .status

describe('an enforced provider', () => {
  test('needs a proved domain, a test and a break-glass administrator; then passwords of its domain end', async () => {
    const company = await market.organization(['IP_OWNER'], {
      administrator: { email: 'admin@enforced.example.net', givenName: 'A', familyName: 'B' },
    })
    const { client, userId, email } = company.administrator
    const provider = await createdProvider(client, input({ domains: ['enforced.example.net'] }))
    await idp.register(provider.redirectUrl)
    const path = `${PROVIDERS}/${provider.id}`
    const refused = await patch(client, path, { enforce: true })
    expect([refused.status, refused.body.errors?.map(({ field }) => field)]).toEqual([
      409,
      ['domains', 'enforce', 'breakGlassUserId'],
    ])
    await prove(client, dns, provider, 'enforced.example.net')

    const browser = new TestBrowser(market)
    const runTest = async () => browser.land(await browser.toCallback(await browser.startTest(client, provider.id)))
    idp.signsIn({ sub: 't', email: 'x@elsewhere.example.net', email_verified: true })
    expect(await runTest()).toBe(`sso-test=${provider.id}`)
    expect((await client.get<IdentityProvider>(path)).body.test).toMatchObject({
      succeeded: false,
      problem: 'The domain of the e-mail address is not proved for this provider.',
    })
    expect((await patch(client, path, { enforce: true, breakGlassUserId: userId })).status).toBe(409)
    idp.signsIn({ sub: 't', email: 'tester@enforced.example.net', email_verified: true })
    expect(await runTest()).toBe(`sso-test=${provider.id}`)
    expect((await client.get<IdentityProvider>(path)).body.test).toMatchObject({
      succeeded: true,
      email: 'tester@enforced.example.net',
    })
    // A test makes no user.
    expect((await client.get<Page<object>>('/v1/users?q=tester')).body.items).toEqual([])

    const { body: person } = await client.post<{ id: string; activationUrl: string }>('/flows/v1/users', {
      email: 'person@enforced.example.net',
      givenName: 'P',
      familyName: 'Q',
    })
    await market.anonymous.activate(person.activationUrl.split('#')[1] as string, TEST_PASSWORD)
    expect(await signInStatus('person@enforced.example.net')).toBe(200)
    const enforced = await patch<IdentityProvider>(client, path, { enforce: true, breakGlassUserId: userId })
    expect([enforced.status, enforced.body.enforce]).toEqual([200, true])

    expect(await signInStatus('Person@Enforced.example.net')).toBe(401)
    expect((await entriesOf(market, company.orgId, 'auth.signIn')).at(-1)).toMatchObject({
      success: false,
      error: 'invalid_credentials',
      actor_id: person.id,
      request: { reason: 'identity_provider_enforced' },
    })
    expect(await signInStatus(email)).toBe(200)
    const reset = await client.post<{ activationUrl: string }>(`/flows/v1/users/${person.id}/reset-password`)
    const link = reset.body.activationUrl.split('#')[1] as string
    const chosen = await market.anonymous.post<Problem>('/flows/v1/activations', {
      token: link,
      password: TEST_PASSWORD,
    })
    expect([chosen.status, chosen.body.code]).toEqual([401, 'invalid_credentials'])
    for (const address of ['person@enforced.example.net', email]) {
      expect((await market.anonymous.post('/flows/v1/password-resets', { email: address })).status).toBe(204)
    }
    const resets = () => entriesOf(market, company.orgId, 'passwordReset.create')
    await until(async () => (await resets()).length === 2, { what: 'both requests' })
    expect(await resets()).toMatchObject([
      {
        success: false,
        error: 'invalid_credentials',
        actor_id: person.id,
        request: { reason: 'identity_provider_enforced' },
      },
      { success: true, actor_id: userId },
    ])
    idp.signsIn({ sub: 'p', email: 'person@enforced.example.net', email_verified: true })
    expect((await browser.signIn('person@enforced.example.net')).accessToken).toBeString()

    for (const change of [
      { issuer: 'https://login.example.com' },
      { clientId: 'x' },
      { breakGlassUserId: person.id },
      { breakGlassUserId: null },
    ])
      expect([change, (await patch(client, path, change)).status]).toEqual([change, 409])
    // The secret can change, because secrets expire.
    expect((await patch<IdentityProvider>(client, path, { clientSecret: CLIENT.clientSecret })).body.enforce).toBe(true)

    const second = await company.member('Administrator')
    const gone = await act(second.client, userId, 'deactivate')
    expect([gone.status, gone.body.code]).toEqual([409, 'conflict'])
    // A lost proof does not bring passwords back.
    await market.db.owner`update organization.identity_domains set lost_at = now() where provider_id = ${provider.id}`
    expect(await signInStatus('person@enforced.example.net')).toBe(401)
    expect((await patch<IdentityProvider>(client, path, { enforce: false })).body.enforce).toBe(false)
    expect((await act(second.client, userId, 'deactivate')).status).toBe(200)
  })
  test.each([
    [401, 'does not bring back a session of a password where a second factor is required', true],
    [200, 'leaves a session of a password open where no second factor is required', false],
  ])('%i: %s', async (status, _, isRequired) => {
    const company = await market.organization(['IP_OWNER'])
    const { client, userId } = company.administrator
    const provider = await createdProvider(client, input())
    const { email, client: person } = await company.member([])
    const refresh = () =>
      market.anonymous.post<{ refresh_token: string }>('/v2.3/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: person.refreshToken,
      })
    await market.db.owner`
      update organization.organizations set second_factor = ${isRequired} where id = ${company.orgId}`
    if (isRequired) expect((await refresh()).status).toBe(401)
    await market.db.owner`
      update organization.identity_domains set domain = split_part(${email}, '@', 2), proved_at = now()
      where provider_id = ${provider.id}`
    await market.db.owner`
      update organization.identity_providers set enforce = true, break_glass_user_id = ${userId}
      where id = ${provider.id}`
    expect(await signInStatus(email)).toBe(401)
    expect((await refresh()).status).toBe(status)
    await market.db.owner`delete from organization.identity_providers where id = ${provider.id}`
  })
})
