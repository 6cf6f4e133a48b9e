import { expect, test } from 'bun:test'
import type { Process } from '../../../proto/http/catalog/processes.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['catalog'])
const { administrator } = await market.organization(['CONSUMER'])
const { client } = administrator

const list = async (query: string) => (await client.get<{ items: Process[] }>(`/v1/processes?${query}`)).body.items

test('materialType returns the processes for that material type', async () => {
  expect((await list('materialType=ceramic')).map(({ code }) => code)).toEqual(['grinding-ceramic', 'vpp-ceramic'])
  expect((await list('materialType=metal')).every(({ materialType }) => materialType === 'metal')).toBe(true)
})

test('an unknown materialType, also in another case, returns nothing', async () => {
  for (const type of ['wood', 'sand', 'Metal', '']) expect(await list(`materialType=${type}`)).toEqual([])
})

test('a process has its technologies in order', async () => {
  expect((await client.get('/v1/processes/turning-metal')).body).toEqual({
    code: 'turning-metal',
    name: 'Turning of metal',
    materialType: 'metal',
    technologyIds: ['turn', 'millturn', 'swiss'],
  })
})
