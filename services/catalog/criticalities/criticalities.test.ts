import { expect, test } from 'bun:test'
import type { Criticality } from '../../../proto/http/catalog/criticalities.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['catalog'])
const { administrator } = await market.organization(['CONSUMER'])
const { client } = administrator

const list = async (query: string) =>
  (await client.get<{ items: Criticality[] }>(`/v1/criticalities?${query}`)).body.items

test('governingBody returns the levels of that body', async () => {
  const items = await list('governingBody=NASA')
  expect(items.map(({ id, rank }) => [id, rank])).toEqual([
    ['nasa-6030-a', 3],
    ['nasa-6030-b', 2],
    ['nasa-6030-c', 1],
  ])
  expect((await list('governingBody=ASTM')).length).toBe(8)
})

test('an unknown governingBody, also in another case, returns nothing', async () => {
  for (const body of ['nasa', 'NAS', 'NASA%20', '%25', '']) expect(await list(`governingBody=${body}`)).toEqual([])
})

test('a repeated governingBody is 400', async () => {
  expect((await client.get('/v1/criticalities?governingBody=NASA&governingBody=API')).status).toBe(400)
})
