import { describe, expect, test } from 'bun:test'
import type { Role } from '../../../proto/http/organization/roles.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { BY_BUS, entriesOf, eventsOf, type Page, type Problem, patch } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
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
  test('returns the system roles of the organization ordered by name, with the permissions that apply to it', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const { items } = (await list('', fresh.administrator.client)).body
    expect(items.map(({ name }) => name)).toEqual(['Administrator', 'IP owner', 'Viewer'])
    expect(items.every(({ system }) => system)).toBe(true)
    const [administrator, owner, viewer] = items
    expect(administrator?.permissions).toContain('part:create')
    for (const permission of ['app:consumer', 'platform:operate']) {
      expect(administrator?.permissions).not.toContain(permission)
    }
    expect(owner?.permissions).toEqual([
      ...([
        'app:ip-owner',
        'part:create',
        'part:update',
        'part:publish',
        'part:delete',
        'file:write',
        'case:read',
      ] as const),
    ])
    expect(viewer?.permissions).toEqual([])
  })

  test('q matches a case-insensitive substring of the name, with wildcards taken literally', async () => {
    await create({ name: 'Öl 50%_x', permissions: [] })
    expect(await namesOf('q=admin')).toEqual(['Administrator'])
    expect(await namesOf(`q=${encodeURIComponent('öL')}`)).toEqual(['Öl 50%_x'])
    expect(await namesOf('q=%25_')).toEqual(['Öl 50%_x'])
    expect(await namesOf('q=A%25r')).toEqual([])
    expect(await namesOf('q=')).toEqual(await namesOf(''))
  })

  test('permission returns the roles with that permission; an unknown permission returns none', async () => {
    expect((await namesOf('permission=part:publish')).sort()).toEqual(['Administrator', 'IP owner'])
    expect(await namesOf('permission=nope')).toEqual([])
    expect(await namesOf('permission=')).toEqual([])
  })

  test("userId returns the caller's own roles; the roles of another user need org:admin, else 403", async () => {
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

  test('filters combine, and consecutive pages return the whole list', async () => {
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

  test('a role of another organization is 404', async () => {
    const foreign = await roleNamed('Buyer', stranger.administrator.client)
    expect((await client.get(`/v1/roles/${foreign.id}`)).status).toBe(404)
    const own = await roleNamed('Viewer')
    const answer = await member.client.get<Role>(`/v1/roles/${own.id}`)
    expect([answer.status, answer.body]).toEqual([200, own])
    expect(answer.headers.get('etag')).toBeTruthy()
  })
})

describe('creating', () => {
  test('returns the role and writes an audit entry and an event', async () => {
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

  test('twice with one Idempotency-Key returns the first response', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = named()
    const [first, again] = [await create(body, client, headers), await create(body, client, headers)]
    expect([again.status, again.text]).toEqual([first.status, first.text])
  })

  test.each([
    ['app:consumer', 'another kind of organization'],
    ['platform:operate', "the operator's organization"],
  ])('%s, which applies only to %s, is 400', async (permission) => {
    const answer = await create(named([permission]))
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'permissions'])
  })

  test('an unknown permission, an empty name, a missing field and an unknown field are 400', async () => {
    for (const body of [
      named(['part:*']),
      { name: ' ', permissions: [] },
      { ...named(), system: true },
      { name: 'x' },
    ]) {
      expect((await create(body)).status).toBe(400)
    }
  })

  test('a permission that the caller does not hold is 403', async () => {
    expect((await create(named(['part:create']), roleManager.client)).status).toBe(201)
    const answer = await create(named(['part:create', 'org:admin']), roleManager.client)
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    expect((await create(named(), member.client)).status).toBe(403)
  })

  test('a taken name and a name that looks like a system role are 409', async () => {
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

test('more than 1000 custom roles are 409 limit_reached', async () => {
  const fresh = await market.organization(['IP_OWNER'])
  await market.db.owner`
    insert into organization.roles (id, org_id, name, permissions, created_at)
    select 'role_' || n || ${fresh.orgId}::text, ${fresh.orgId}, 'Role ' || n, '{}', now()
    from generate_series(1, 999::int) n`
  const by = fresh.administrator.client
  const answers = await Promise.all([create(named(), by), create(named(), by), create(named(), by)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('limit_reached')
})

describe('changing', () => {
  test('takes effect for the users of the role within a second and writes an event and an audit entry', async () => {
    const role = await newRole(['part:create'])
    const user = await org.member([])
    const part = () => user.client.post('/v1/parts', { title: 'x' })
    expect((await part()).status).toBe(403)
    await client.post(`/flows/v1/roles/${role.id}/grant`, { userId: user.userId })
    await until(async () => (await part()).status === 200, BY_BUS)
    const answer = await patch<Role>(client, `/flows/v1/roles/${role.id}`, { permissions: ['part:update'] })
    expect([answer.status, answer.body.permissions]).toEqual([200, ['part:update']])
    await until(async () => (await part()).status === 403, BY_BUS)
    expect(await eventsOf(market, role.id)).toHaveLength(2)
    expect((await entriesOf(market, org.orgId, 'role.patch')).at(-1)).toMatchObject({ success: true })
  })

  test('with an outdated If-Match is 412', async () => {
    const role = await newRole()
    const etag = (await client.get(`/v1/roles/${role.id}`)).headers.get('etag') as string
    const path = `/flows/v1/roles/${role.id}`
    expect((await patch(client, path, { name: crypto.randomUUID() }, { 'if-match': etag })).status).toBe(200)
    expect((await patch(client, path, { name: crypto.randomUUID() }, { 'if-match': etag })).status).toBe(412)
  })

  test('a role with a permission that the caller does not hold, before or after the change, is 403', async () => {
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

  test('an inapplicable permission is 400, a role of another organization 404, a system role 409', async () => {
    const role = await newRole()
    expect((await patch(client, `/flows/v1/roles/${role.id}`, { permissions: ['app:consumer'] })).status).toBe(400)
    expect((await patch(stranger.administrator.client, `/flows/v1/roles/${role.id}`, { name: 'x' })).status).toBe(404)
    const viewer = await roleNamed('Viewer')
    const answer = await patch(client, `/flows/v1/roles/${viewer.id}`, { permissions: ['part:create'] })
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    expect((await remove(viewer.id)).status).toBe(409)
  })

  test('removing org:admin from the role of the last administrator is 409 last_administrator', async () => {
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
  test('is 204, and the role is 404 afterwards', async () => {
    const role = await newRole()
    const answer = await remove(role.id)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await client.get(`/v1/roles/${role.id}`)).status).toBe(404)
    expect((await remove(role.id)).status).toBe(404)
  })

  test('a role that a user holds is 409 in_use, a role of another organization 404', async () => {
    const role = await newRole()
    await client.post(`/flows/v1/roles/${role.id}/grant`, { userId: member.userId })
    const answer = await remove(role.id)
    expect([answer.status, answer.body.code]).toEqual([409, 'in_use'])
    expect((await remove(role.id, stranger.administrator.client)).status).toBe(404)
  })

  test('of a concurrent deletion and grant exactly one succeeds', async () => {
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
