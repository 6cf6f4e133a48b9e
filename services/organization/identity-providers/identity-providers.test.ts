import { afterAll, describe, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../../proto/http/organization/identity-providers.ts'
import { newId } from '../../kit/db/ids.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { ApiClient } from '../../testing/client.ts'
import { TestDns } from '../../testing/dns.ts'
import { CLIENT, TestIdentityProvider } from '../../testing/identity-provider.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { act, entriesOf, type Page, type Problem, patch } from '../../testing/people.ts'
import { createdAccount } from '../../testing/service-accounts.ts'
import { openSession } from '../../testing/sessions.ts'
import { createdProvider, PROVIDERS, providerInput } from '../../testing/sso.ts'
import { reencryptProviders } from './re-encrypt.ts'

const dns = new TestDns()
const market = await marketplaceOf(['sourcing'], { ALLOW_PRIVATE_ADDRESSES: 'true' }, undefined, {
  resolveTxt: dns.resolveTxt,
})
const org = await market.organization(['IP_OWNER'])
const other = await market.organization(['CONSUMER'])
const { client: admin } = org.administrator
const idp = await TestIdentityProvider.start()
afterAll(() => idp.stop())

const input = (more?: Record<string, unknown>) => providerInput(idp, more)
const create = (client: ApiClient, more?: Record<string, unknown>) =>
  client.post<IdentityProvider & Problem>(PROVIDERS, input(more))
const remove = (client: ApiClient, { id }: { id: string }) => client.send('DELETE', `${PROVIDERS}/${id}`)
const roleNamed = async (client: ApiClient, name: string) =>
  (await client.get<Page<{ id: string; name: string }>>('/v1/roles?pageSize=50')).body.items.find(
    (role) => role.name === name,
  )?.id as string

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
    for (const [more, field] of [
      [{ defaultRoleIds: [foreign] }, 'defaultRoleIds.0'],
      [{ groupRoles: { claim: 'groups', map: { a: 'role_unknown' } } }, 'groupRoles.map.a'],
    ] as const) {
      const { status, body } = await create(admin, more)
      expect([status, body.errors?.[0]?.field]).toEqual([400, field])
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

  test('no longer grants a system role that ends with a role of the organization', async () => {
    const both = await market.organization(['IP_OWNER', 'SELLER'])
    const { client } = both.administrator
    const [ended, kept] = await Promise.all(['Seller', 'IP owner'].map((name) => roleNamed(client, name)))
    const map = { sales: ended as string, design: kept as string }
    const more = { defaultRoleIds: [ended, kept], groupRoles: { claim: 'groups', map } }
    const provider = await createdProvider(client, input(more))
    const operator = (await market.operator()).administrator.client
    expect((await patch(operator, `/flows/v1/orgs/${both.orgId}`, { roles: ['IP_OWNER'] })).status).toBe(200)
    const { body } = await client.get<IdentityProvider>(`${PROVIDERS}/${provider.id}`)
    expect(body.defaultRoleIds).toEqual([kept as string])
    expect(body.groupRoles).toEqual({ claim: 'groups', map: { design: kept as string } })
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

  test('with a service account or an anonymised person as break-glass administrator is 400', async () => {
    const account = await createdAccount(admin)
    const { userId } = await org.member([])
    expect((await admin.post(`/flows/v1/users/${userId}/anonymise`)).status).toBe(200)
    for (const breakGlassUserId of [account.id, userId]) {
      expect((await create(admin, { breakGlassUserId })).body.errors?.map(({ field }) => field)).toEqual([
        'breakGlassUserId',
      ])
    }
  })

  test('with a domain of another provider of the organization is 409, and the sixth is 409', async () => {
    const { client } = (await market.organization(['IP_OWNER'])).administrator
    await createdProvider(client, input({ domains: ['one.example.net'] }))
    expect((await create(client, { domains: ['one.example.net'] })).status).toBe(409)
    for (let n = 0; n < 4; n++) await createdProvider(client, input())
    const { code, detail } = (await create(client)).body
    expect([code, detail]).toEqual(['limit_reached', 'An organization has at most 5 identity providers.'])
  })
})

test('the secrets of providers are re-encrypted with the first key, and stay the same', async () => {
  const { id } = await createdProvider(other.administrator.client, input())
  const newer = `new:${Buffer.alloc(32, 9).toString('base64')}`
  const both = await createSecretBox(`${newer},${market.config.ENCRYPTION_KEYS}`)
  expect((await reencryptProviders(market.db.owner, both)).reencrypted).toBeGreaterThan(0)
  expect(await reencryptProviders(market.db.owner, both)).toEqual({ reencrypted: 0, failed: [] })
  const [row] = await market.db.owner`select client_secret from organization.identity_providers where id = ${id}`
  expect(await (await createSecretBox(newer)).decrypt(row?.client_secret)).toBe(CLIENT.clientSecret)
  // The services of this test know the old key only.
  await reencryptProviders(market.db.owner, await createSecretBox(`${market.config.ENCRYPTION_KEYS},${newer}`))
  await remove(other.administrator.client, { id })
})
