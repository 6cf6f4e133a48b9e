import { describe, expect, test } from 'bun:test'
import type { ServiceAccount } from '../../../proto/http/organization/service-accounts.ts'
import type { User } from '../../../proto/http/organization/users.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { act, entriesOf, type Page, type Problem, patch } from '../../testing/people.ts'
import { ACCOUNTS, clientWith, createdAccount, createdKey, requestToken } from '../../testing/service-accounts.ts'

const market = await marketplaceWithWorkers(['sourcing'], { PUBLIC_URL: 'http://market.example.com:8080' })
const org = await market.organization(['IP_OWNER'])
const other = await market.organization(['IP_OWNER'])
const { client: admin } = org.administrator
const manager = await org.member(['user:manage', 'role:manage'])

const roleId = async (client: ApiClient, name: string) =>
  (await client.get<Page<{ id: string; name: string }>>('/v1/roles?pageSize=50')).body.items.find(
    (role) => role.name === name,
  )?.id as string
const ipOwner = await roleId(admin, 'IP owner')
const administrators = await roleId(admin, 'Administrator')

const create = (client: ApiClient, body: object) => client.post<ServiceAccount & Problem>(ACCOUNTS, body)

describe('a service account', () => {
  test('is created with name, description and roles, and read, listed and changed', async () => {
    const body = { name: 'ERP connector', description: 'Copies orders.', roleIds: [ipOwner, ipOwner] }
    const { status, body: account } = await create(admin, body)
    expect(status).toBe(201)
    expect<object>(account).toEqual({
      id: expect.stringMatching(/^user_[0-9A-HJKMNP-TV-Z]{26}$/),
      email: `${account.id.toLowerCase()}@service-accounts.market.example.com`,
      name: 'ERP connector',
      description: 'Copies orders.',
      active: true,
      createdTime: account.updatedTime,
      updatedTime: account.createdTime,
    })
    const path = `${ACCOUNTS}/${account.id}`
    const read = await admin.get<ServiceAccount>(path)
    expect(read.body).toEqual(account)
    const changed = await patch<ServiceAccount>(
      admin,
      path,
      { name: 'ERP', description: null },
      { 'if-match': read.headers.get('etag') as string },
    )
    expect([changed.status, changed.body.name, changed.body.description]).toEqual([200, 'ERP', undefined])
    const outdated = await patch(admin, path, { name: 'X' }, { 'if-match': read.headers.get('etag') as string })
    expect([outdated.status, outdated.body.code]).toEqual([412, 'precondition_failed'])
    const newest = await createdAccount(admin, { name: 'Newest' })
    const list = await admin.get<Page<ServiceAccount>>(`${ACCOUNTS}?pageSize=2`)
    expect(list.body.items.map(({ id }) => id)).toEqual([newest.id, account.id])
  })

  test('is a user of the directory, with its name and without a password', async () => {
    const { id, email } = await createdAccount(admin, { name: 'Warehouse', roleIds: [ipOwner] })
    const found = await admin.get<Page<User>>('/v1/users?q=warehouse')
    expect(found.body.items).toEqual([
      { id, email, givenName: 'Warehouse', familyName: '', active: true, admin: false },
    ])
    const roles = await admin.get<Page<{ name: string }>>(`/v1/roles?userId=${id}`)
    expect(roles.body.items.map(({ name }) => name)).toEqual(['IP owner'])
    const signIn = { grant_type: 'password', username: email, password: 'the password of every test user' }
    expect((await market.anonymous.post('/v2.3/oauth/token', signIn)).status).toBe(401)
  })

  test('gets no password and no other address', async () => {
    const { id } = await createdAccount(admin)
    const reset = await act(admin, id, 'reset-password')
    expect([reset.status, reset.body.code, reset.body.detail]).toEqual([
      409,
      'illegal_transition',
      'The user is a service account. It has keys instead of a password.',
    ])
    const moved = await patch(admin, `/flows/v1/users/${id}`, { email: 'erp@example.com' })
    expect([moved.status, moved.body.detail]).toEqual([
      409,
      'The user is a service account. Change it at /flows/v1/service-accounts.',
    ])
  })

  test('has an address that no person can get', async () => {
    for (const email of ['erp@service-accounts.market.example.com', 'erp@SERVICE-ACCOUNTS.example.org']) {
      const person = { email, givenName: 'Erp', familyName: 'Bot' }
      expect((await admin.post<Problem>('/flows/v1/users', person)).body.errors?.[0]?.field).toBe('email')
    }
  })

  test('is deactivated, activated and anonymised as a user', async () => {
    const { id } = await createdAccount(admin)
    const key = await createdKey(admin, id)
    expect((await requestToken(market.url, key)).status).toBe(200)
    expect((await act(admin, id, 'deactivate')).status).toBe(200)
    expect((await requestToken(market.url, key)).body).toEqual({
      error: 'invalid_client',
      error_description: 'The key was revoked.',
    } as never)
    expect((await act(admin, id, 'activate')).status).toBe(200)
    expect((await requestToken(market.url, key)).status).toBe(401)
    expect((await requestToken(market.url, await createdKey(admin, id))).status).toBe(200)
    expect((await act(admin, id, 'anonymise')).status).toBe(200)
    expect((await requestToken(market.url, key)).status).toBe(401)
    expect((await admin.get(`${ACCOUNTS}/${id}`)).status).toBe(404)
    expect((await admin.post(`${ACCOUNTS}/${id}/keys`, {})).status).toBe(404)
    const [row] = await market.db.owner`
      select given_name, family_name, description from organization.users where id = ${id}`
    expect(row).toMatchObject({ given_name: 'erased', family_name: 'erased', description: null })
  })

  test('alone is not the administrator that an organization keeps', async () => {
    const { id } = await createdAccount(other.administrator.client)
    const { client, userId } = other.administrator
    const role = await roleId(client, 'Administrator')
    expect((await client.post(`/flows/v1/roles/${role}/grant`, { userId: id })).status).toBe(200)
    const left = await act(client, userId, 'deactivate')
    expect([left.status, left.body.code]).toEqual([409, 'last_administrator'])
  })

  test('gets a granted role within a second, and cannot grant more than it holds', async () => {
    const account = await createdAccount(admin, { roleIds: [await roleId(admin, 'Viewer')] })
    const program = await clientWith(market.url, await createdKey(admin, account.id))
    expect((await program.get(ACCOUNTS)).status).toBe(403)
    const { body } = await admin.post<{ id: string }>('/flows/v1/roles', {
      name: 'Provisioning',
      permissions: ['user:manage'],
    })
    await admin.post(`/flows/v1/roles/${body.id}/grant`, { userId: account.id })
    for (let tries = 0; tries < 200 && (await program.get(ACCOUNTS)).status !== 200; tries++) await Bun.sleep(5)
    expect((await create(program, { name: 'Second' })).status).toBe(201)
    expect((await create(program, { name: 'Too much', roleIds: [administrators] })).status).toBe(403)
    const entries = await entriesOf(market, org.orgId, 'serviceAccount.create')
    expect(entries.at(-2)).toMatchObject({ success: true, actor_id: account.id })
  })
})

describe('a permission that the caller lacks is not given to a service account', () => {
  test('a role with a permission that the caller lacks is 403 at creation, and by a grant', async () => {
    const refused = await create(manager.client, { name: 'X', roleIds: [ipOwner] })
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    const { id } = await createdAccount(manager.client)
    const grant = await manager.client.post(`/flows/v1/roles/${ipOwner}/grant`, { userId: id })
    expect(grant.status).toBe(403)
  })

  test('a key, its revocation and a change of an account with more permissions is 403', async () => {
    const { id } = await createdAccount(admin, { roleIds: [ipOwner] })
    const { clientId } = await createdKey(admin, id)
    const answers = [
      await manager.client.post<Problem>(`${ACCOUNTS}/${id}/keys`, {}),
      await manager.client.post<Problem>(`${ACCOUNTS}/${id}/keys/${clientId}/revoke`),
      await patch(manager.client, `${ACCOUNTS}/${id}`, { name: 'Mine' }),
    ]
    for (const { status, body } of answers) expect([status, body.code]).toEqual([403, 'forbidden'])
  })

  test('a role of another organization is 400, and an unknown one too', async () => {
    const foreign = await roleId(other.administrator.client, 'IP owner')
    for (const id of [foreign, 'role_01JZ8Q4D3R1G5M7VJ0T6W2X9YB']) {
      const { status, body } = await create(admin, { name: 'X', roleIds: [id] })
      expect([status, body.errors?.[0]?.field]).toEqual([400, 'roleIds.0'])
    }
  })
})

describe('access', () => {
  test('needs user:manage, and is 404 for another organization and for a person', async () => {
    const { id } = await createdAccount(admin)
    const powerless = await org.member([])
    const of = (client: ApiClient, account: string) => [
      client.get(`${ACCOUNTS}/${account}`),
      client.get(`${ACCOUNTS}/${account}/keys`),
      patch(client, `${ACCOUNTS}/${account}`, { name: 'X' }),
      client.post(`${ACCOUNTS}/${account}/keys`, {}),
      client.post(`${ACCOUNTS}/${account}/keys/sak_01JZ8Q4D3R1G5M7VJ0T6W2X9YB/revoke`),
    ]
    const statuses = async (client: ApiClient, account: string) =>
      (await Promise.all(of(client, account))).map(({ status }) => status)
    expect(await statuses(powerless.client, id)).toEqual([403, 403, 403, 403, 403])
    expect(await statuses(other.administrator.client, id)).toEqual([404, 404, 404, 404, 404])
    expect(await statuses(admin, manager.userId)).toEqual([404, 404, 404, 404, 404])
    expect((await powerless.client.get(ACCOUNTS)).status).toBe(403)
    expect((await create(powerless.client, { name: 'X' })).status).toBe(403)
    const listed = await other.administrator.client.get<Page<ServiceAccount>>(`${ACCOUNTS}?pageSize=50`)
    expect(listed.body.items.some((account) => account.id === id)).toBe(false)
  })

  test.each([
    [{}, 'name'],
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ name: 'X', description: 'x'.repeat(501) }, 'description'],
    [{ name: 'X', email: 'a@b.c' }, 'email'],
    [{ name: 'X', roleIds: Array(101).fill('role_1') }, 'roleIds'],
  ])('%j is 400', async (body, field) => {
    const answer = await create(admin, body)
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field])
  })
})

test('an organization has at most 100 service accounts; an anonymised one makes room', async () => {
  const full = await market.organization(['IP_OWNER'])
  const { client } = full.administrator
  await market.db.owner`
    insert into organization.users (id, org_id, kind, email, given_name, family_name, created_at, updated_at)
    select 'user_full' || n, ${full.orgId}, 'SERVICE', 'user_full' || n || '@service-accounts.x', 'Program', '', now(), now()
    from generate_series(1, 99) n`
  const { id } = await createdAccount(client)
  const refused = await create(client, { name: 'One more' })
  expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
  await act(client, id, 'anonymise')
  expect((await create(client, { name: 'One more' })).status).toBe(201)
})
