import { expect, test } from 'bun:test'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { loadParts } from '../../testing/load/parts.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const owner = await market.organization(['IP_OWNER'])
await loadParts(market.db.owner, { count: 400, organizations: 4 })

const ids = (items: readonly Part[]) => items.map(({ id }) => id)

test.each(['', '&q=ring', '&q=e'])(
  'consecutive pages of GET /v1/parts%s repeat and skip nothing while parts are published',
  async (filter) => {
    const reader = (await market.organization(['CONSUMER'])).administrator.client
    const { client } = owner.administrator
    const expected = await market.db.owner<{ id: string }[]>`
    select id from sourcing.parts
    where state = 'PUBLISHED' and not internal and search ilike ${`%${new URLSearchParams(filter).get('q') ?? ''}%`}
    order by id desc`
    const read: string[] = []
    for (let page = 1; ; page++) {
      const { body } = await reader.get<{ items: Part[]; hasMore: boolean }>(
        `/v1/parts?pageSize=7&page=${page}${filter}`,
      )
      read.push(...ids(body.items))
      if (!body.hasMore) break
      const created = await client.post<{ id: string }>('/v1/parts', { title: 'Wear ring', materialType: 'metal' })
      await client.post(`/flows/v1/parts/${created.body.id}/publish`)
    }
    expect(read).toEqual(expected.map(({ id }) => id))
  },
)

test('a page that does not follow the last one is counted on the current list', async () => {
  const reader = (await market.organization(['CONSUMER'])).administrator.client
  const page = (number: number) => reader.get<{ items: Part[] }>(`/v1/parts?pageSize=5&page=${number}`)
  const all = await reader.get<{ items: Part[] }>('/v1/parts?pageSize=50')
  expect(ids((await page(4)).body.items)).toEqual(ids(all.body.items).slice(15, 20))
  expect(ids((await page(2)).body.items)).toEqual(ids(all.body.items).slice(5, 10))
})
