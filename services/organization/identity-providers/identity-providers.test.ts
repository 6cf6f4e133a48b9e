import { afterAll, describe, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../../proto/http/organization/identity-providers.ts'
import { newId } from '../../kit/db/ids.ts'
import { ApiClient } from '../../testing/client.ts'
import { TestDns } from '../../testing/dns.ts'
import { CLIENT, TestIdentityProvider } from '../../testing/identity-provider.ts'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { act, entriesOf, type Page, type Problem, patch } from '../../testing/people.ts'
import { openSession } from '../../testing/sessions.ts'
import { createdProvider, PROVIDERS, prove, TestBrowser } from '../../testing/sso.ts'
import { checkProofs } from './proofs.ts'

const dns = new TestDns()
const market = await marketplaceOf(['sourcing'], { ALLOW_PRIVATE_ADDRESSES: 'true' }, undefined, {
  resolveTxt: dns.resolveTxt,
})
const org = await market.organization(['IP_OWNER'])
const other = await market.organization(['CONSUMER'])
const { client: admin } = org.administrator
const idp = await TestIdentityProvider.start()
afterAll(() => idp.stop())

const input = (more: Record<string, unknown> = {}) => ({
  name: 'Company login',
  issuer: idp.issuer,
  ...CLIENT,
  domains: [`${crypto.randomUUID()}.example.net`],
  ...more,
})
const create = (client: ApiClient, more?: Record<string, unknown>) =>
  client.post<IdentityProvider & Problem>(PROVIDERS, input(more))
const remove = (client: ApiClient, { id }: { id: string }) => client.send('DELETE', `${PROVIDERS}/${id}`)
const roleNamed = async (client: ApiClient, name: string) =>
  (await client.get<Page<{ id: string; name: string }>>('/v1/roles?pageSize=50')).body.items.find(
    (role) => role.name === name,
  )?.id as string
const signInStatus = async (username: string) =>
  (await market.anonymous.post('/v2.3/oauth/token', { grant_type: 'password', username, password: TEST_PASSWORD }))
    .status

describe('a provider', () => {
  test('is created, read, listed, changed and deleted, and never shows its secret', async () => {
    const created = await create(admin, { domains: ['b.example.net', 'A.example.net', 'a.example.net'] })
    expect(created.status).toBe(201)
    const provider = created.body
    expect<object>(provider).toEqual({
      id: expect.stringMatching(/^idp_[0-9A-HJKMNP-TV-Z]{26}$/),
      name: 'Company login',
      issuer: idp.issuer,
      clientId: 'marketplace',
      redirectUrl: `http://localhost:8080/flows/v1/sso/callback/${provider.id}`,
      domains: ['a', 'b'].map((name) => ({
        name: `${name}.example.net`,
        state: 'PENDING',
        recordName: `_marketplace-challenge.${name}.example.net`,
        recordValue: expect.stringMatching(/^marketplace-domain=[\w-]{43}$/),
      })),
      defaultRoleIds: [],
      enforce: false,
      createdTime: provider.updatedTime,
      updatedTime: provider.createdTime,
    })
    const path = `${PROVIDERS}/${provider.id}`
    const read = await admin.get<IdentityProvider>(path)
    expect(read.body).toEqual(provider)
    const ifMatch = { 'if-match': read.headers.get('etag') as string }
    const changed = await patch<IdentityProvider>(
      admin,
      path,
      { name: 'New', clientSecret: 'x', domains: ['b.example.net'] },
      ifMatch,
    )
    expect([changed.status, changed.body.name, changed.body.domains]).toEqual([200, 'New', provider.domains.slice(1)])
    expect((await patch(admin, path, { name: 'X' }, ifMatch)).body.code).toBe('precondition_failed')
    const list = await admin.get<Page<IdentityProvider>>(PROVIDERS)
    expect(list.body.items.map(({ id }) => id)).toEqual([provider.id])
    for (const { text } of [created, read, changed, list]) expect(text).not.toContain(CLIENT.clientSecret)
    const [row] = await market.db
      .owner`select client_secret from organization.identity_providers where id = ${provider.id}`
    expect(row?.client_secret).toStartWith('test.')
    expect((await remove(admin, provider)).status).toBe(204)
    expect((await admin.get(path)).status).toBe(404)
    const entries = await entriesOf(market, org.orgId, 'identityProvider.patch')
    expect(entries[0]?.request).toMatchObject({
      id: provider.id,
      fields: ['name', 'clientSecret', 'domains'],
      name: 'New',
    })
    expect(JSON.stringify(await entriesOf(market, org.orgId, 'identityProvider.create'))).not.toContain('secret of')
  })

  test('of another organization is 404, and without org:admin it is 403', async () => {
    const provider = await createdProvider(other.administrator.client, input())
    const manager = await org.member(['user:manage', 'role:manage'])
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'X' }],
      ['DELETE', '', undefined],
      ['POST', '/verify-domain', { domain: provider.domains[0]?.name }],
      ['POST', '/test', undefined],
    ] as const) {
      const at = `${PROVIDERS}/${provider.id}${path}`
      expect([at, (await admin.send(method, at, { body })).status]).toEqual([at, 404])
      expect([at, (await manager.client.send(method, at, { body })).status]).toEqual([at, 403])
    }
    expect((await create(manager.client)).status).toBe(403)
    await remove(other.administrator.client, provider)
  })

  test('needs every permission that a user of the organization holds', async () => {
    const partial = await org.member(['org:admin', 'user:manage'])
    const provider = await createdProvider(admin, input())
    const path = `${PROVIDERS}/${provider.id}`
    for (const answer of [
      await create(partial.client),
      await patch(partial.client, path, { name: 'X' }),
      await partial.client.post<Problem>(`${path}/verify-domain`, { domain: provider.domains[0]?.name }),
      await partial.client.post<Problem>(`${path}/test`),
      await remove(partial.client, provider),
    ]) {
      expect([answer.status, (answer.body as Problem).code]).toEqual([403, 'forbidden'])
    }
    expect((await partial.client.get(path)).status).toBe(200)
    await remove(admin, provider)
  })

  test('does not grant a role that its administrator lacks, or that does not exist', async () => {
    const foreign = await roleNamed(other.administrator.client, 'Viewer')
    for (const more of [
      { defaultRoleIds: [foreign] },
      { groupRoles: { claim: 'groups', map: { a: 'role_unknown' } } },
    ]) {
      expect((await create(admin, more)).status).toBe(400)
    }
    const solo = await market.organization(['IP_OWNER'])
    const { client: founder, userId } = solo.administrator
    const strong = await roleNamed(founder, 'IP owner')
    const { client: partial } = await solo.member(['org:admin'])
    expect((await create(partial)).status).toBe(403)
    expect((await act(founder, userId, 'anonymise')).status).toBe(200)
    // Now no user holds the permissions of the role.
    for (const more of [{ defaultRoleIds: [strong] }, { groupRoles: { claim: 'groups', map: { a: strong } } }]) {
      expect((await create(partial, more)).status).toBe(403)
    }
    const provider = await createdProvider(partial, input())
    expect((await patch(partial, `${PROVIDERS}/${provider.id}`, { defaultRoleIds: [strong] })).status).toBe(403)
  })

  test('keeps the roles that it grants', async () => {
    const { body: role } = await admin.post<{ id: string }>('/flows/v1/roles', { name: 'Kept', permissions: [] })
    const provider = await createdProvider(admin, input({ groupRoles: { claim: 'groups', map: { a: role.id } } }))
    const path = `/flows/v1/roles/${role.id}`
    expect((await admin.send<Problem>('DELETE', path)).body.code).toBe('in_use')
    await remove(admin, provider)
    expect((await admin.send('DELETE', path)).status).toBe(204)
  })

  test('is refused during an impersonation', async () => {
    const act = { grantId: newId('grant'), actingEmail: 'support@example.com' }
    const { accessToken } = await openSession(market, org.administrator, act)
    expect((await create(new ApiClient(market.url, accessToken))).status).toBe(403)
  })

  test.each([
    ['an address without a scheme', { issuer: 'login.example.com' }],
    ['an issuer with a query', { issuer: 'https://login.example.com/?a=b' }],
    ['an issuer with credentials', { issuer: 'https://a:b@login.example.com' }],
    ['no domain', { domains: [] }],
    ['a domain of one label', { domains: ['localhost'] }],
    ['an address instead of a domain', { domains: ['192.0.2.1'] }],
    ['a domain with a port', { domains: ['a.example.net:80'] }],
    ['an unknown break-glass administrator', { breakGlassUserId: 'user_unknown' }],
    ['a break-glass administrator of another organization', { breakGlassUserId: other.administrator.userId }],
  ])('with %s is 400', async (_, more) => {
    expect((await create(admin, more)).status).toBe(400)
  })

  test('with a domain of another provider of the organization is 409, and the sixth is 409', async () => {
    const { client } = (await market.organization(['IP_OWNER'])).administrator
    await createdProvider(client, input({ domains: ['one.example.net'] }))
    expect((await create(client, { domains: ['one.example.net'] })).status).toBe(409)
    for (let n = 0; n < 4; n++) await createdProvider(client, input())
    expect((await create(client)).body.code).toBe('limit_reached')
  })
})

describe('a domain', () => {
  test('is proved by its record alone', async () => {
    const provider = await createdProvider(admin, input({ domains: ['proof.example.net'] }))
    const verify = () =>
      admin.post<IdentityProvider & Problem>(`${PROVIDERS}/${provider.id}/verify-domain`, {
        domain: 'proof.example.net',
      })
    const [domain] = provider.domains
    const missing = await verify()
    expect([missing.status, missing.body.errors?.[0]?.message]).toEqual([
      409,
      `has no TXT record _marketplace-challenge.proof.example.net with the value ${domain?.recordValue}`,
    ])
    dns.records.set('_marketplace-challenge.proof.example.net', [['something else'], [`${domain?.recordValue}x`]])
    expect((await verify()).status).toBe(409)
    dns.failsWith = 'ESERVFAIL'
    expect((await verify()).status).toBe(409)
    dns.failsWith = undefined
    // A long value arrives in chunks.
    const value = domain?.recordValue ?? ''
    dns.records.set('_marketplace-challenge.proof.example.net', [[value.slice(0, 20), value.slice(20)]])
    const proved = await verify()
    expect([proved.status, proved.body.domains[0]?.state]).toEqual([200, 'PROVED'])
    const wrong = await admin.post<Problem>(`${PROVIDERS}/${provider.id}/verify-domain`, {
      domain: 'other.example.net',
    })
    expect(wrong.status).toBe(400)
  })

  test('belongs to the organization that proved it, and a claim reserves nothing', async () => {
    const first = await createdProvider(other.administrator.client, input({ domains: ['claimed.example.net'] }))
    const second = await createdProvider(admin, input({ domains: ['claimed.example.net'] }))
    expect((await prove(admin, dns, second, 'claimed.example.net')).status).toBe(200)
    const late = await prove(other.administrator.client, dns, first, 'claimed.example.net')
    expect([late.status, late.body.errors]).toEqual([
      409,
      [{ field: 'domain', message: 'belongs to another organization' }],
    ])
    await remove(admin, second)
    expect((await prove(other.administrator.client, dns, first, 'claimed.example.net')).status).toBe(200)
  })

  test('is checked daily: it is lost when the record is gone, and after a week without an answer', async () => {
    const { client } = (await market.organization(['IP_OWNER'])).administrator
    const provider = await createdProvider(client, input({ domains: ['daily.example.net', 'silent.example.net'] }))
    for (const name of ['daily.example.net', 'silent.example.net']) await prove(client, dns, provider, name)
    const stateAfter = async (hours: number) => {
      const now = new Date(Date.now() + hours * 3_600_000).toISOString()
      await checkProofs(
        { sql: market.db.owner, resolveTxt: dns.resolveTxt, now: () => now },
        new AbortController().signal,
      )
      const { body } = await client.get<IdentityProvider>(`${PROVIDERS}/${provider.id}`)
      return body.domains.map(({ state }) => state)
    }
    dns.records.delete('_marketplace-challenge.daily.example.net')
    expect(await stateAfter(23)).toEqual(['PROVED', 'PROVED'])
    expect(await stateAfter(25)).toEqual(['LOST', 'PROVED'])
    expect(await new TestBrowser(market).start('a@daily.example.net')).toBeUndefined()
    dns.failsWith = 'ETIMEOUT'
    expect(await stateAfter(6 * 24)).toEqual(['LOST', 'PROVED'])
    expect(await stateAfter(9 * 24)).toEqual(['LOST', 'LOST'])
    dns.failsWith = undefined
    expect((await prove(client, dns, provider, 'daily.example.net')).body.domains[0]?.state).toBe('PROVED')
  })
})

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
})
