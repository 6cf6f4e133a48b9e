import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Part } from '../../../proto/http/sourcing/parts.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const owner = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER', 'CONSUMER'])
const isPart = TypeCompiler.Compile(Part)

interface Problem {
  code: string
  errors?: { field: string; message: string }[]
}
type List = { items: Part[]; hasMore: boolean }

const create = (body: unknown, client: ApiClient) => client.post<{ id: string }>('/v1/parts', body)
const created = async (body: unknown) => (await create(body, owner.administrator.client)).body.id
const publish = (id: string, client: ApiClient = owner.administrator.client) =>
  client.post(`/flows/v1/parts/${id}/publish`)

describe('GET /v1/parts/{id}', () => {
  test('a published part that is not internal is readable by any organization, without the fields for its owner', async () => {
    const [unit] = await arrangeUnit()
    const id = await created({ title: 'Public', materialType: 'metal', businessUnitIds: [unit] })
    await publish(id)
    const theirs = await stranger.administrator.client.get<Part>(`/v1/parts/${id}`)
    expect(theirs.status).toBe(200)
    expect(theirs.body).not.toHaveProperty('businessUnitIds')
    expect(theirs.body).not.toHaveProperty('customFields')
    expect(isPart.Check(theirs.body)).toBe(true)
    const ours = await owner.administrator.client.get<Part>(`/v1/parts/${id}`)
    expect(ours.body.businessUnitIds).toEqual([unit as string])
    expect(ours.headers.get('etag')).not.toBe(theirs.headers.get('etag'))
  })

  test('a draft, and an internal part once published, are 404 to others, the same as an unknown one', async () => {
    const draft = await created({ title: 'Draft' })
    const internal = await created({ title: 'Internal', materialType: 'metal', internal: true })
    await publish(internal)
    const client = stranger.administrator.client
    const unknown = await client.get('/v1/parts/part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', { headers: { 'x-request-id': 'r' } })
    expect(unknown.status).toBe(404)
    for (const id of [draft, internal]) {
      const answer = await client.get(`/v1/parts/${id}`, { headers: { 'x-request-id': 'r' } })
      expect(answer.text.replace(id, '')).toBe(unknown.text.replace('part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', ''))
      expect((await owner.administrator.client.get(`/v1/parts/${id}`)).status).toBe(200)
    }
  })

  test('carries a strong ETag and honours If-None-Match', async () => {
    const id = await created({ title: 'Tagged', materialType: 'wax' })
    const { client } = owner.administrator
    const etag = (await client.get(`/v1/parts/${id}`)).headers.get('etag') as string
    expect(etag).toMatch(/^"[^"]+"$/)
    const again = await client.get(`/v1/parts/${id}`, { headers: { 'if-none-match': `"x", ${etag}` } })
    expect([again.status, again.text]).toEqual([304, ''])
    await publish(id)
    expect((await client.get(`/v1/parts/${id}`, { headers: { 'if-none-match': etag } })).status).toBe(200)
  })
})

describe('GET /v1/parts', () => {
  test('view CONSUMER, the default, lists published parts that are not internal; IP_OWNER lists own parts with drafts', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const { client } = fresh.administrator
    const make = async (body: object) => (await create(body, client)).body.id
    const draft = await make({ title: 'a draft' })
    const published = await make({ title: 'a published one', materialType: 'wax' })
    const internal = await make({ title: 'an internal one', materialType: 'wax', internal: true })
    await publish(published, client)
    await publish(internal, client)
    const idsOf = async (query: string, as: ApiClient = client) =>
      (await as.get<List>(`/v1/parts?pageSize=50${query}`)).body.items.map(({ id }) => id)
    expect(await idsOf('&view=IP_OWNER')).toEqual([internal, published, draft])
    const seen = await idsOf('', stranger.administrator.client)
    expect(seen[0]).toBe(published)
    expect(seen).not.toContain(draft)
    expect(seen).not.toContain(internal)
    expect(await idsOf('&view=CONSUMER')).toEqual(seen)
    expect(await idsOf('&view=IP_OWNER', stranger.administrator.client)).not.toContain(published)
  })

  test('pages are disjoint and complete, hasMore is false on the last, and a page past the end is empty', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const { client } = fresh.administrator
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await create({ title: `p${n}` }, client)).body.id)
    const page = async (n: number) => (await client.get<List>(`/v1/parts?view=IP_OWNER&pageSize=2&page=${n}`)).body
    const pages = [await page(1), await page(2), await page(3), await page(4)]
    expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ids)
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false, false])
    expect(await page(2_147_483_647)).toEqual({ items: [], hasMore: false })
    const search = await client.get<List>('/v1/parts?view=IP_OWNER&pageSize=50&q=p&page=2147483647')
    expect([search.status, search.body]).toEqual([200, { items: [], hasMore: false }])
  })

  test('q matches a case-insensitive substring of title or external reference; wildcards are literal', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const { client } = fresh.administrator
    const titles = async (q: string) =>
      (await client.get<List>(`/v1/parts?view=IP_OWNER&q=${encodeURIComponent(q)}`)).body.items.map(
        ({ title }) => title,
      )
    await create({ title: 'Öl-Pumpe 100%', externalRef: 'REF_7' }, client)
    await create({ title: 'Ventil', externalRef: 'back\\slash' }, client)
    await create({ externalRef: 'untitled' }, client)
    expect(await titles('öl-pUMPE')).toEqual(['Öl-Pumpe 100%'])
    expect(await titles('ref_7')).toEqual(['Öl-Pumpe 100%'])
    expect(await titles('0%')).toEqual(['Öl-Pumpe 100%'])
    expect(await titles('K\\S')).toEqual(['Ventil'])
    expect(await titles('UNTITLED')).toEqual([undefined as never])
    for (const q of ['V%l', 'V_ntil', '100%REF']) expect(await titles(q)).toEqual([])
    for (const q of ['%', '_']) expect(await titles(q)).toEqual(['Öl-Pumpe 100%'])
    // No match crosses from the title into the reference.
    expect(await titles('%\u001fREF')).toEqual([])
    expect(await titles('')).toHaveLength(3)
  })

  test('an undeclared view is 400', async () => {
    const answer = await owner.administrator.client.get<Problem>('/v1/parts?view=MANUFACTURER')
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'view'])
  })
})

async function arrangeUnit(): Promise<[string]> {
  const id = `bu_${crypto.randomUUID()}`
  await market.db.owner`insert into organization.business_units (id, org_id, name, created_at)
    values (${id}, ${owner.orgId}, ${id}, now())`
  return [id]
}

describe('POST /flows/v1/parts:batch-get', () => {
  const batch = (client: ApiClient, ids: unknown) => client.post<List & Problem>('/flows/v1/parts:batch-get', { ids })
  const mine = owner.administrator.client
  const theirs = stranger.administrator.client

  test('answers the parts that the caller may read, in the order of the request, each once', async () => {
    const draft = await created({ title: 'Draft' })
    const [unit] = await arrangeUnit()
    const open = await created({ title: 'Public', materialType: 'metal', businessUnitIds: [unit] })
    await publish(open)
    const hidden = await created({ title: 'Internal', materialType: 'metal', internal: true })
    await publish(hidden)
    const ids = [hidden, open, 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', draft, open, 'no id at all']
    const ours = await batch(mine, ids)
    expect([ours.status, ours.body.items.map(({ id }) => id)]).toEqual([200, [hidden, open, draft]])
    expect(ours.body.items.every((part) => isPart.Check(part))).toBe(true)
    expect(ours.body.items[1]).toEqual((await mine.get<Part>(`/v1/parts/${open}`)).body)
    const foreign = await batch(theirs, ids)
    expect(foreign.body.items).toEqual([(await theirs.get<Part>(`/v1/parts/${open}`)).body])
    expect(foreign.body.items[0]).not.toHaveProperty('businessUnitIds')
  })

  test('needs 1 to 100 ids, and a token', async () => {
    for (const ids of [[], Array(101).fill('part_1'), 'part_1', [1], null])
      expect((await batch(mine, ids)).status).toBe(400)
    expect((await batch(mine, Array(100).fill('part_1'))).status).toBe(200)
    expect((await batch(market.anonymous, ['part_1'])).status).toBe(401)
  })
})
