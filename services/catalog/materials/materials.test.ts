import { expect, test } from 'bun:test'
import type { Material } from '../../../proto/http/catalog/materials.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['catalog'])
const { administrator } = await market.organization(['CONSUMER'])
const { client } = administrator

const list = async (query: string) =>
  (await client.get<{ items: Material[]; hasMore: boolean }>(`/v1/materials?pageSize=50&${query}`)).body

test('type returns the materials of that type, and all types together return all materials', async () => {
  let count = 0
  for (const type of ['metal', 'polymer', 'ceramic', 'composite', 'sand', 'wax', 'other']) {
    const { items } = await list(`type=${type}`)
    expect(items.every((material) => material.type === type)).toBe(true)
    count += items.length
  }
  expect(count).toBe((await list('')).items.length)
})

test('an unknown type, also in another case, returns nothing', async () => {
  for (const type of ['wood', 'Metal', 'met', ''])
    expect(await list(`type=${type}`)).toEqual({ items: [], hasMore: false })
})

test('type combines with pagination', async () => {
  const all = (await list('type=polymer')).items
  const page = await client.get<{ items: Material[]; hasMore: boolean }>('/v1/materials?type=polymer&page=2&pageSize=9')
  expect(page.body).toEqual({ items: all.slice(9, 18), hasMore: all.length > 18 })
})

test('a material has the standards that specify it', async () => {
  const { body } = await client.get('/v1/materials/ti6al4v-grade-23')
  expect(body).toEqual({
    code: 'ti6al4v-grade-23',
    name: 'Titanium alloy Ti6Al4V ELI (Grade 23)',
    type: 'metal',
    standardCodes: ['astm-f3001'],
  })
})
