import { describe, expect, test } from 'bun:test'
import type { ApiClient } from '../testing/client.ts'
import { marketplaceOf } from '../testing/marketplace.ts'
import { clientWith, createdAccount, createdKey } from '../testing/service-accounts.ts'

/**
 * The lists without a strategy of their own; users, parts, histories and the audit log have a test each beside them.
 */
const market = await marketplaceOf(['catalog', 'sourcing'])
const { owner } = market.db

interface List {
  items: { id: string }[]
  hasMore: boolean
}

interface Case {
  path: string
  /** Creates a record of the organization, or of its administrator; a lower number comes first in the list. */
  add(place: { orgId: string; userId: string }, number: number): PromiseLike<unknown>
  remove(id: string): PromiseLike<unknown>
}

const idOf = (prefix: string, number: number, orgId: string) => `${prefix}_${String(9000 - number)}${orgId.slice(8)}`
const nameOf = (number: number) => `Name of ${String(1000 + number)}`

const CASES: Case[] = [
  {
    path: '/v1/roles',
    add: ({ orgId }, number) => owner`
      insert into organization.roles (id, org_id, name, permissions, system, created_at)
      values (${idOf('role', number, orgId)}, ${orgId}, ${nameOf(number)}, '{}', false, now())`,
    remove: (id) => owner`delete from organization.roles where id = ${id}`,
  },
  {
    path: '/flows/v1/business-units',
    add: ({ orgId }, number) => owner`
      insert into organization.business_units (id, org_id, name, created_at)
      values (${idOf('bu', number, orgId)}, ${orgId}, ${nameOf(number)}, now())`,
    remove: (id) => owner`delete from organization.business_units where id = ${id}`,
  },
  {
    path: '/flows/v1/custom-fields',
    add: ({ orgId }, number) => owner`
      insert into organization.custom_fields (id, org_id, name, created_at)
      values (${idOf('cf', number, orgId)}, ${orgId}, ${nameOf(number)}, now())`,
    remove: (id) => owner`delete from organization.custom_fields where id = ${id}`,
  },
  {
    path: '/flows/v1/impersonation-grants',
    add: ({ orgId, userId }, number) => owner`
      insert into identity.impersonation_grants
        (id, org_id, user_id, acting_email, reason, granted_by, grantor_password_version, token_hash, created_at, expires_at)
      values (${idOf('grant', number, orgId)}, ${orgId}, ${userId}, 'support@example.com', 'Ticket', ${userId}, 1,
        sha256(${idOf('grant', number, orgId)}::bytea), now(), now())`,
    remove: (id) => owner`delete from identity.impersonation_grants where id = ${id}`,
  },
  {
    path: '/flows/v1/sessions',
    add: ({ orgId, userId }, number) => owner`
      insert into identity.sessions (id, user_id, org_id, session_version, created_at, last_used_at, expires_at)
      values (${idOf('sess', number, orgId)}, ${userId}, ${orgId}, 1, now(), now(), now() + interval '1 hour')`,
    remove: (id) => owner`update identity.sessions set ended_at = now() where id = ${id}`,
  },
]

test.each(CASES.map((list) => [list.path, list] as const))(
  'consecutive pages of GET %s repeat and skip nothing while records are added and removed',
  async (path, { add, remove }) => {
    const { orgId, administrator } = await market.organization(['IP_OWNER'])
    const { client, userId } = administrator
    const place = { orgId, userId }
    const get = async (query: string) => {
      const { status, body, headers } = await client.get<List>(`${path}?${query}`)
      expect(status).toBe(200)
      return { ids: body.items.map(({ id }) => id), hasMore: body.hasMore, link: headers.get('link') }
    }
    for (let number = 100; number < 112; number++) await add(place, number)
    const all = (await get('pageSize=50')).ids
    const read: string[] = []
    for (let page = 1; ; page++) {
      const { ids, hasMore, link } = await get(`pageSize=4&page=${page}`)
      expect(link).toBe(hasMore ? `<${path}?pageSize=4&page=${page + 1}>; rel="next"` : null)
      read.push(...ids)
      if (!hasMore) break
      for (const id of ids.slice(0, 2)) if (id.endsWith(orgId.slice(8))) await remove(id)
      for (const number of [1, 2, 3]) await add(place, page * 10 + number)
    }
    expect(read).toEqual(all)
    expect(await get('pageSize=50&page=2147483647')).toEqual({ ids: [], hasMore: false, link: null })
  },
)

test('two processes with the key of one service account read the same list independently of each other', async () => {
  const { administrator } = await market.organization(['IP_OWNER'])
  const { client } = administrator
  const created: string[] = []
  for (let n = 0; n < 12; n++)
    created.unshift((await client.post<{ id: string }>('/v1/parts', { title: 'Gear' })).body.id)
  const key = await createdKey(client, (await createdAccount(client, { roleIds: [] })).id)
  const [first, second] = [await clientWith(market.url, key), await clientWith(market.url, key)]
  const read = async (by: ApiClient, page: number) =>
    (await by.get<List>(`/v1/parts?view=IP_OWNER&pageSize=4&page=${page}`)).body.items.map(({ id }) => id)
  expect(await read(first, 1)).toEqual(created.slice(0, 4))
  for (const id of created.slice(0, 4)) expect((await client.send('DELETE', `/flows/v1/parts/${id}`)).status).toBe(204)
  expect(await read(second, 1)).toEqual(created.slice(4, 8))
  // The second process ended its page after these.
  expect(await read(first, 2)).toEqual(created.slice(4, 8))
})

describe('Link with rel="next"', () => {
  /** The ids of all pages from this one on, found by the links alone. */
  async function follow(client: ApiClient, target: string): Promise<string[]> {
    const { status, body, headers } = await client.get<List>(target)
    expect(status).toBe(200)
    const [, next] = /^<(\/[!-~]+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
    const ids = body.items.map(({ id }) => id)
    return next === undefined ? ids : [...ids, ...(await follow(client, next))]
  }

  test('leads through a list to its end, with filters of any characters', async () => {
    const { administrator } = await market.organization(['IP_OWNER'])
    const { client } = administrator
    const title = 'Laufrad "Größe" <3> a>b; rel=x, \\ & %41 + 羽根'
    const created: string[] = []
    for (let n = 0; n < 5; n++) created.unshift((await client.post<{ id: string }>('/v1/parts', { title })).body.id)
    await client.post('/v1/parts', { title: 'Impeller' })
    const q = encodeURIComponent(title)
    expect(await follow(client, `/v1/parts?view=IP_OWNER&q=${q}&pageSize=2`)).toEqual(created)
    expect(await follow(client, `/v1/parts?q=${q}&page=2&view=IP_OWNER&pageSize=2`)).toEqual(created.slice(2))
  })

  test('is that of the default page size without parameters, and of catalogs, HEAD and an unchanged page', async () => {
    const { administrator } = await market.organization(['IP_OWNER'])
    const { client } = administrator
    const page = await client.get('/v1/categories')
    expect(page.headers.get('link')).toBe('</v1/categories?page=2>; rel="next"')
    expect((await client.send('HEAD', '/v1/categories')).headers.get('link')).toBe(page.headers.get('link'))
    const unchanged = await client.get('/v1/categories', {
      headers: { 'if-none-match': page.headers.get('etag') ?? '' },
    })
    expect([unchanged.status, unchanged.headers.get('link')]).toEqual([304, page.headers.get('link')])
  })

  test('is absent from errors, single records and unpaged lists', async () => {
    const { administrator } = await market.organization(['IP_OWNER'])
    const { client } = administrator
    for (const path of ['/v1/materials?page=0', '/v1/materials/316l', '/v1/processes']) {
      expect([path, (await client.get(path)).headers.get('link')]).toEqual([path, null])
    }
  })
})
