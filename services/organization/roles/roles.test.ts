import { describe, expect, test } from 'bun:test'
import type { Role } from '../../../proto/http/organization/roles.ts'
import { MAX_CUSTOM_ROLES } from '../../../proto/http/organization/roles.ts'
import { SYSTEM_ROLES } from '../../../proto/permissions.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { BY_BUS, entriesOf, eventsOf, type Page, type Problem, patch } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceOf(['sourcing'])
const org = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER', 'CONSUMER'])
const { client } = org.administrator
const roleManager = await org.member(['role:manage', 'part:create'])
const member = await org.member([])

const create = (body: unknown, by: ApiClient = client, headers: Record<string, string> = {}) =>
  by.post<Role & Problem>('/flows/v1/roles', body, headers)
const named = (permissions: string[] = []) => ({ name: crypto.randomUUID(), permissions })
const newRole = async (permissions: string[] = []) => (await create(named(permissions))).body
const list = (query: string, by: ApiClient = client) => by.get<Page<Role> & Problem>(`/v1/roles?pageSize=50&${query}`)
const namesOf = async (query: string, by: ApiClient = client) =>
  (await list(query, by)).body.items.map(({ name }) => name)
const roleNamed = async (name: string, by: ApiClient = client) =>
  (await list(`q=${encodeURIComponent(name)}`, by)).body.items.find((role) => role.name === name) as Role
const remove = (id: string, by: ApiClient = client) => by.send<Problem>('DELETE', `/flows/v1/roles/${id}`)

describe('listing', () => {
  test('an organization has the system roles that it may have, by name, with the keys that count', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const { items } = (await list('', fresh.administrator.client)).body
    expect(items.map(({ name }) => name)).toEqual(['Administrator', 'IP owner', 'Viewer'])
    expect(items.every(({ system }) => system)).toBe(true)
    const [administrator, owner, viewer] = items
    expect(administrator?.permissions).toContain('part:create')
    for (const key of ['app:consumer', 'platform:operate']) expect(administrator?.permissions).not.toContain(key)
    expect(owner?.permissions).toEqual([...(SYSTEM_ROLES.find(({ name }) => name === 'IP owner')?.permissions ?? [])])
    expect(viewer?.permissions).toEqual([])
  })

  test('q is a case-insensitive substring of the name, and never a pattern', async () => {
    await create({ name: 'Öl 50%_x', permissions: [] })
    expect(await namesOf('q=admin')).toEqual(['Administrator'])
    expect(await namesOf(`q=${encodeURIComponent('öL')}`)).toEqual(['Öl 50%_x'])
    expect(await namesOf('q=%25_')).toEqual(['Öl 50%_x'])
    expect(await namesOf('q=A%25r')).toEqual([])
    expect(await namesOf('q=')).toEqual(await namesOf(''))
  })

  test('permission lists the roles with that key; an unknown one lists nothing', async () => {
    expect((await namesOf('permission=part:publish')).sort()).toEqual(['Administrator', 'IP owner'])
    expect(await namesOf('permission=nope')).toEqual([])
    expect(await namesOf('permission=')).toEqual([])
  })

  test("userId lists one's own roles for everybody, and somebody else's for administrators alone", async () => {
    const own = await namesOf(`userId=${member.userId}`, member.client)
    expect(own).toHaveLength(1)
    expect(await namesOf(`userId=${member.userId}`)).toEqual(own)
    expect(await namesOf(`userId=${org.administrator.userId}`)).toEqual(['Administrator'])
    for (const userId of [org.administrator.userId, stranger.administrator.userId, 'user_unknown', '']) {
      const answer = await list(`userId=${userId}&q=a&permission=part:create`, member.client)
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    }
    expect(await namesOf(`userId=${stranger.administrator.userId}`)).toEqual([])
    expect(await namesOf('userId=user_unknown')).toEqual([])
  })

  test('filters combine, and pages are disjoint', async () => {
    const query = `userId=${org.administrator.userId}&permission=org:admin`
    expect(await namesOf(`${query}&q=min`)).toEqual(['Administrator'])
    expect(await namesOf(`${query}&q=owner`)).toEqual([])
    const whole = await namesOf('')
    const pages = await Promise.all(
      whole.map((_, index) => client.get<Page<Role>>(`/v1/roles?pageSize=1&page=${index + 1}`)),
    )
    expect(pages.flatMap(({ body }) => body.items.map(({ name }) => name))).toEqual(whole)
    expect(pages.at(-1)?.body.hasMore).toBe(false)
  })

  test('a role of another organization is not found', async () => {
    const foreign = await roleNamed('Buyer', stranger.administrator.client)
    expect((await client.get(`/v1/roles/${foreign.id}`)).status).toBe(404)
    const own = await roleNamed('Viewer')
    const answer = await member.client.get<Role>(`/v1/roles/${own.id}`)
    expect([answer.status, answer.body]).toEqual([200, own])
    expect(answer.headers.get('etag')).toBeTruthy()
  })
})

describe('creating', () => {
  test('answers the role, leaves an entry and an event', async () => {
    const body = { name: 'Drawing office', permissions: ['part:update', 'file:write', 'part:update'] }
    const answer = await create(body)
    const { id } = answer.body
    expect([answer.status, answer.body as Role]).toEqual([
      201,
      { id, name: 'Drawing office', permissions: ['part:update', 'file:write'], system: false },
    ])
    expect((await entriesOf(market, org.orgId, 'role.create')).at(-1)?.request).toMatchObject({ roleId: id })
    expect(await eventsOf(market, id)).toEqual(['organization.role.changed'])
  })

  test('with an Idempotency-Key is done once', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = named()
    const [first, again] = [await create(body, client, headers), await create(body, client, headers)]
    expect([again.status, again.text]).toEqual([first.status, first.text])
  })

  test.each([
    ['app:consumer', 'of another kind of organization'],
    ['platform:operate', "of the operator's organization"],
  ])('%s, a key %s, does not count here: 400', async (key) => {
    const answer = await create(named([key]))
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'permissions'])
  })

  test('an unknown key, an empty name, system and unknown fields are 400', async () => {
    for (const body of [
      named(['part:*']),
      { name: ' ', permissions: [] },
      { ...named(), system: true },
      { name: 'x' },
    ]) {
      expect((await create(body)).status).toBe(400)
    }
  })

  test('a key that the caller lacks is 403', async () => {
    expect((await create(named(['part:create']), roleManager.client)).status).toBe(201)
    const answer = await create(named(['part:create', 'org:admin']), roleManager.client)
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    expect((await create(named(), member.client)).status).toBe(403)
  })

  test("a taken name is 409, and so is whatever looks like a system role's", async () => {
    const { name } = await newRole()
    expect((await create({ name, permissions: [] })).body.code).toBe('conflict')
    for (const reserved of [
      'Administrator',
      'administrator',
      ' Administrator ',
      'Ａdministrator',
      'Buyer',
      'ip  OWNER',
    ]) {
      expect([reserved, (await create({ name: reserved, permissions: [] })).status]).toEqual([reserved, 409])
    }
    expect((await create({ name, permissions: [] }, stranger.administrator.client)).status).toBe(201)
  })
})

test(`an organization has at most ${MAX_CUSTOM_ROLES} roles of its own: 409 limit_reached`, async () => {
  const fresh = await market.organization(['IP_OWNER'])
  await market.db.owner`
    insert into organization.roles (id, org_id, name, permissions, created_at)
    select 'role_' || n || ${fresh.orgId}::text, ${fresh.orgId}, 'Role ' || n, '{}', now()
    from generate_series(1, ${MAX_CUSTOM_ROLES - 1}::int) n`
  const by = fresh.administrator.client
  const answers = await Promise.all([create(named(), by), create(named(), by), create(named(), by)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('limit_reached')
})

describe('changing', () => {
  test('bites within a second for who holds it, and events and entries say so', async () => {
    const role = await newRole(['part:create'])
    const holder = await org.member([])
    const part = () => holder.client.post('/v1/parts', { title: 'x' })
    expect((await part()).status).toBe(403)
    await client.post(`/flows/v1/roles/${role.id}/grant`, { userId: holder.userId })
    await until(async () => (await part()).status === 200, BY_BUS)
    const answer = await patch<Role>(client, `/flows/v1/roles/${role.id}`, { permissions: ['part:update'] })
    expect([answer.status, answer.body.permissions]).toEqual([200, ['part:update']])
    await until(async () => (await part()).status === 403, BY_BUS)
    expect(await eventsOf(market, role.id)).toHaveLength(2)
    expect((await entriesOf(market, org.orgId, 'role.patch')).at(-1)).toMatchObject({ success: true })
  })

  test('honours If-Match', async () => {
    const role = await newRole()
    const etag = (await client.get(`/v1/roles/${role.id}`)).headers.get('etag') as string
    const path = `/flows/v1/roles/${role.id}`
    expect((await patch(client, path, { name: crypto.randomUUID() }, { 'if-match': etag })).status).toBe(200)
    expect((await patch(client, path, { name: crypto.randomUUID() }, { 'if-match': etag })).status).toBe(412)
  })

  test('nobody adds, takes away or renames a key that they lack: 403', async () => {
    const high = await newRole(['org:admin'])
    const low = await newRole(['part:create'])
    const attempts = [
      [high.id, { permissions: [] }],
      [high.id, { name: 'harmless' }],
      [low.id, { permissions: ['part:create', 'org:admin'] }],
    ] as const
    for (const [id, body] of attempts) {
      expect((await patch(roleManager.client, `/flows/v1/roles/${id}`, body)).status).toBe(403)
    }
    expect((await remove(high.id, roleManager.client)).status).toBe(403)
    expect((await patch(roleManager.client, `/flows/v1/roles/${low.id}`, { permissions: [] })).status).toBe(200)
  })

  test('a key that does not count is 400, a foreign role 404, a system role 409', async () => {
    const role = await newRole()
    expect((await patch(client, `/flows/v1/roles/${role.id}`, { permissions: ['app:consumer'] })).status).toBe(400)
    expect((await patch(stranger.administrator.client, `/flows/v1/roles/${role.id}`, { name: 'x' })).status).toBe(404)
    const viewer = await roleNamed('Viewer')
    const answer = await patch(client, `/flows/v1/roles/${viewer.id}`, { permissions: ['part:create'] })
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    expect((await remove(viewer.id)).status).toBe(409)
  })

  test('org:admin cannot leave the role through which the last administrator has it', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const other = await fresh.member(['org:admin', 'role:manage', 'user:manage'])
    const roles = await other.client.get<Page<Role>>(`/v1/roles?userId=${other.userId}`)
    const [role] = roles.body.items
    const path = `/flows/v1/roles/${role?.id}`
    const { status } = await fresh.administrator.client.post(`/flows/v1/users/${fresh.administrator.userId}/deactivate`)
    expect(status).toBe(200)
    const answer = await patch(other.client, path, { permissions: ['role:manage', 'user:manage'] })
    expect([answer.status, answer.body.code]).toEqual([409, 'last_administrator'])
    expect((await other.client.get<Role>(`/v1/roles/${role?.id}`)).body.permissions).toContain('org:admin')
  })
})

describe('deleting', () => {
  test('is 204, and the role is gone', async () => {
    const role = await newRole()
    const answer = await remove(role.id)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await client.get(`/v1/roles/${role.id}`)).status).toBe(404)
    expect((await remove(role.id)).status).toBe(404)
  })

  test('of one that somebody holds is 409 in_use, of a foreign one 404', async () => {
    const role = await newRole()
    await client.post(`/flows/v1/roles/${role.id}/grant`, { userId: member.userId })
    const answer = await remove(role.id)
    expect([answer.status, answer.body.code]).toEqual([409, 'in_use'])
    expect((await remove(role.id, stranger.administrator.client)).status).toBe(404)
  })

  test('and granting at once: one of the two wins', async () => {
    for (let round = 0; round < 8; round++) {
      const role = await newRole()
      const [deleted, granted] = await Promise.all([
        remove(role.id),
        client.post(`/flows/v1/roles/${role.id}/grant`, { userId: member.userId }),
      ])
      expect([
        [204, 404],
        [409, 200],
      ]).toContainEqual([deleted.status, granted.status])
    }
  })
})
