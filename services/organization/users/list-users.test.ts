import { describe, expect, test } from 'bun:test'
import type { User } from '../../../proto/http/organization/users.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { act, created, type Page, type Problem } from '../../testing/people.ts'

const market = await marketplaceOf([])
const org = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER'])
const { client, userId: administratorId } = org.administrator
const member = await org.member('IP owner')

const roleId = async (name: string, by: ApiClient = client) =>
  (await by.get<Page<{ id: string }>>(`/v1/roles?q=${encodeURIComponent(name)}`)).body.items[0]?.id as string

const [ada, bodil, goran] = [
  await created(client, { email: 'Ada.A@list.example', givenName: 'Ada', familyName: 'Lovelace', phone: '1' }),
  await created(client, { email: 'bodil.b@list.example', givenName: 'Bodil', familyName: 'Åse_50%' }),
  await created(client, { email: 'caesar.c@list.example', givenName: 'GÖRAN', familyName: 'Ada' }),
]
await org.grant('Administrator', bodil.id)
await org.grant('IP owner', goran.id)
await org.grant('Viewer', goran.id)
await act(client, goran.id, 'deactivate')

const list = (query = '', by: ApiClient = client) => by.get<Page<User> & Problem>(`/v1/users?${query}`)
const idsOf = async (query: string, by: ApiClient = client) =>
  (await list(`pageSize=50&${query}`, by)).body.items.map(({ id }) => id)
const search = (q: string) => idsOf(`q=${encodeURIComponent(q)}`)

describe('the list', () => {
  test('is ordered by e-mail address without case, and has no users of other organizations', async () => {
    const { items, hasMore } = (await list('pageSize=50')).body
    const emails = items.map(({ email }) => email.toLowerCase())
    expect(emails).toEqual([...emails].sort())
    expect(hasMore).toBe(false)
    expect(items).toHaveLength(5)
    expect(await idsOf('')).not.toContain(stranger.administrator.userId)
  })

  test('shows admin and phone to administrators, and to other users only their own', async () => {
    const seen = (await list('pageSize=50', member.client)).body.items
    expect(seen.filter((user) => 'admin' in user || 'phone' in user).map(({ id }) => id)).toEqual([member.userId])
    const all = (await list('pageSize=50')).body.items
    expect(all.every((user) => 'admin' in user)).toBe(true)
    expect(
      all
        .filter(({ admin }) => admin)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([administratorId, bodil.id].sort())
    expect(all.find(({ id }) => id === ada.id)?.phone).toBe('1')
  })

  test.each(['', 'permission=part:create', 'q=crowd'])(
    'consecutive pages (%s) repeat and skip nothing while users are created',
    async (query) => {
      const crowd = await market.organization(['IP_OWNER'])
      const by = crowd.administrator.client
      const role = await roleId('Administrator', by)
      const person = (n: string) => ({
        email: `${n}-${crowd.orgId.toLowerCase()}@crowd.example`,
        givenName: 'A',
        familyName: 'B',
        roleIds: [role],
      })
      for (const n of ['d', 'f', 'h', 'j', 'l', 'n']) await created(by, person(n))
      const there = await idsOf(query, by)
      const read: string[] = []
      for (let page = 1; ; page++) {
        const { body } = await list(`pageSize=2&page=${page}&${query}`, by)
        read.push(...body.items.map(({ id }) => id))
        if (!body.hasMore) break
        await created(by, person(`a${page}`))
      }
      expect(read).toEqual(there)
    },
  )

  test('pages are disjoint and complete, and a page past the end is empty', async () => {
    const whole = await idsOf('')
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`pageSize=2&page=${page}`)))
    expect(pages.flatMap(({ body }) => body.items.map(({ id }) => id))).toEqual(whole)
    expect(pages.map(({ body }) => body.hasMore)).toEqual([true, true, false, false])
    for (const query of ['', 'permission=part:create', 'q=example']) {
      expect((await list(`${query}&page=2147483647&pageSize=50`)).body).toMatchObject({ items: [], hasMore: false })
    }
  })
})

describe('q', () => {
  test.each([
    ['address', 'LIST.EXAMPLE', [ada.id, bodil.id, goran.id]],
    ['given name', 'göran', [goran.id]],
    ['family name', 'lovel', [ada.id]],
    ['given and family name', 'ada love', [ada.id]],
    ['either name', 'ada', [ada.id, goran.id]],
    ['percent sign', '%', [bodil.id]],
    ['underscore', '_', [bodil.id]],
    ['backslash', '\\', []],
    ['pattern', 'a%a', []],
    ['family before given name', 'lovelace ada', []],
    ['address and name run together', 'exampleAda', []],
  ] as const)('finds by %s', async (_, q, expected) => {
    expect(await search(q)).toEqual([...expected])
  })

  test('empty counts as not sent', async () => {
    expect(await search('')).toEqual(await idsOf(''))
  })
})

describe('filters', () => {
  test('active filters either way, and needs no permission', async () => {
    expect(await idsOf('active=false')).toEqual([goran.id])
    expect(await idsOf('active=true', member.client)).not.toContain(goran.id)
    expect((await idsOf('active=true')).length).toBe(4)
  })

  test('admin filters either way', async () => {
    expect((await idsOf('admin=true')).sort()).toEqual([administratorId, bodil.id].sort())
    expect((await idsOf('admin=false')).sort()).toEqual([ada.id, goran.id, member.userId].sort())
  })

  test('permission lists holders through any role; an unknown permission lists nothing', async () => {
    const holders = [administratorId, bodil.id, goran.id, member.userId].sort()
    expect((await idsOf('permission=part:create')).sort()).toEqual(holders)
    expect((await idsOf('permission=org:admin')).sort()).toEqual([administratorId, bodil.id].sort())
    expect(await idsOf('permission=part:nope')).toEqual([])
    expect(await idsOf('permission=')).toEqual([])
  })

  test('roleId lists its holders; an unknown and a foreign one list nothing', async () => {
    expect((await idsOf(`roleId=${await roleId('IP owner')}`)).sort()).toEqual([goran.id, member.userId].sort())
    expect(await idsOf(`roleId=${await roleId('IP owner', stranger.administrator.client)}`)).toEqual([])
    expect(await idsOf('roleId=role_01JZ8Q4D3R1G5M7VJ0T6W2X9YB')).toEqual([])
  })

  test('combine', async () => {
    const owners = await roleId('IP owner')
    expect(await idsOf(`roleId=${owners}&active=false`)).toEqual([goran.id])
    expect(await idsOf(`roleId=${owners}&q=ada`)).toEqual([goran.id])
    expect(await idsOf(`roleId=${await roleId('Viewer')}&permission=part:create`)).toEqual([goran.id])
    expect(await idsOf('permission=part:create&admin=true&active=true&q=bodil')).toEqual([bodil.id])
    expect(await idsOf(`roleId=${owners}&admin=true`)).toEqual([])
    expect(await idsOf('admin=false&q=ada&active=true')).toEqual([ada.id])
  })

  test('pages of one user list the same users as one page', async () => {
    for (const query of ['permission=part:create', 'admin=true', 'q=example', 'admin=false&active=true']) {
      const whole = await idsOf(query)
      const pages = await Promise.all(whole.map((_, index) => list(`${query}&pageSize=1&page=${index + 1}`)))
      expect(pages.flatMap(({ body }) => body.items.map(({ id }) => id))).toEqual(whole)
      expect(pages.map(({ body }) => body.hasMore)).toEqual(whole.map((_, index) => index < whole.length - 1))
    }
  })

  test('a permission that seven roles give lists each holder once, in the order of the list, on every page', async () => {
    const other = await market.organization(['IP_OWNER'])
    const by = other.administrator.client
    const roles = await Promise.all(
      Array.from({ length: 7 }, async (_, n) => {
        const role = { name: `Files ${n}`, permissions: ['file:write'] }
        return (await by.post<{ id: string }>('/flows/v1/roles', role)).body.id
      }),
    )
    const people = await Promise.all(
      Array.from({ length: 9 }, (_, n) => created(by, { email: `p${(n * 7) % 9}.${other.orgId}@list.example` })),
    )
    const holds = (n: number, role: number) => (n + role) % 3 > 0
    for (const [n, { id }] of people.entries()) {
      for (const [index, role] of roles.entries()) {
        if (holds(n, index)) await by.post(`/flows/v1/roles/${role}/grant`, { userId: id })
      }
    }
    const expected = [...people, other.administrator].map((one) => ('id' in one ? one.id : one.userId))
    const all = (await list('pageSize=50', by)).body.items.map(({ id }) => id).filter((id) => expected.includes(id))
    expect(await idsOf('permission=file:write', by)).toEqual(all)
    const pages = []
    for (const page of [4, 1, 3, 2]) {
      const { items } = (await list(`permission=file:write&pageSize=3&page=${page}`, by)).body
      pages[page - 1] = items.map(({ id }) => id)
    }
    expect(pages.flat()).toEqual(all)
  })

  test.each(['admin=true', 'admin=false', 'permission=part:create', 'permission=', 'roleId=role_1', 'roleId='])(
    '%s without org:admin is 403, with other filters too',
    async (query) => {
      for (const whole of [query, `${query}&active=true&q=a`]) {
        const answer = await list(whole, member.client)
        expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
        expect((await list(whole)).status).toBe(200)
      }
    },
  )

  test('a malformed value is 400, before the permission is checked', async () => {
    for (const query of [
      'admin=1',
      'active=yes',
      'admin=true&admin=true',
      'page=0',
      'pageSize=51',
      `q=${'x'.repeat(201)}`,
    ]) {
      expect((await list(query, member.client)).status).toBe(400)
    }
  })
})
