import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { createApp } from '../../kit/http/app.ts'
import type { ServiceConfig } from '../../kit/service/service.ts'
import { importTexts, restoreShipped, shippedText } from '../../testing/catalog-imports.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'
import { createCatalog } from '../service.ts'
import { CatalogRegistry } from './registry.ts'

const market = await marketplaceWithWorkers(['catalog'])
const { administrator } = await market.organization(['CONSUMER'])
const { client } = administrator
const sql = connect(market.db.ownerUrl, { max: 3, applicationName: 'test-import', searchPath: 'catalog' })
afterAll(() => sql.end({ timeout: 1 }))

const WITHIN_MS = 1000
const HEADER = 'id,code,name,governing_body,rank\n'

describe('after an import', () => {
  test('every replica serves the new content within a second', async () => {
    const replica = await createCatalog(market.configOf<ServiceConfig>('catalog'))
    await replica.start()
    const app = createApp({ services: [replica], ownerOf: () => replica, trustedProxies: 0, corsOrigins: [] })
    const replicaGet = async () => {
      const headers = { authorization: `Bearer ${client.accessToken}` }
      const answer = await app.handle(new Request(`${market.url}/v1/criticalities`, { headers }))
      return (await answer.json()) as { items: unknown[] }
    }
    expect((await replicaGet()).items.length).toBe(20)
    await importTexts(sql, { criticalities: `${HEADER}only,only,The only one,Us,1\n` })
    const isNew = ({ items }: { items: unknown[] }) => items.length === 1
    await Promise.all([
      until(async () => isNew((await client.get<{ items: unknown[] }>('/v1/criticalities')).body), {
        withinMs: WITHIN_MS,
      }),
      until(async () => isNew(await replicaGet()), { withinMs: WITHIN_MS }),
    ])
    await restoreShipped(sql, 'criticalities')
    await until(async () => (await replicaGet()).items.length === 20, { withinMs: WITHIN_MS })
    await replica.close()
  })

  test('the ETag of a page changes, and those of other catalogs do not', async () => {
    const etagOf = async (path: string) => (await client.get(path)).headers.get('etag')
    const before = await Promise.all([etagOf('/v1/standards'), etagOf('/v1/materials')])
    await importTexts(sql, { standards: (await shippedText('standards')).replace('September 2018', 'Sept. 2018') })
    await until(async () => (await etagOf('/v1/standards')) !== before[0], { withinMs: WITHIN_MS })
    expect(await etagOf('/v1/materials')).toBe(before[1] as string)
  })

  test('a repeated search and a repeated batch find the new content', async () => {
    const found = async () => {
      const search = await client.get<{ items: unknown[] }>('/v1/categories?search=submarine')
      const batch = await client.post<{ items: unknown[] }>('/v1/categories:batch-get', { ids: ['sub'] })
      return [search.body.items.length, batch.body.items.length]
    }
    expect(await found()).toEqual([0, 0])
    await importTexts(sql, { categories: `${await shippedText('categories')}sub,,Submarines,,\n` })
    await until(async () => Bun.deepEquals(await found(), [1, 1]), { withinMs: WITHIN_MS })
  })

  test('a list returns the old or the new content, never a mixture', async () => {
    const names = (text: string) =>
      Array.from({ length: 20 }, (_, n) => `c${n + 10},c${n + 10},${text},Us,1\n`).join('')
    let importing = true
    const imports = (async () => {
      for (const text of ['one', 'two', 'one', 'two']) await importTexts(sql, { criticalities: HEADER + names(text) })
      importing = false
    })()
    while (importing) {
      const { status, body } = await client.get<{ items: { name: string }[] }>('/v1/criticalities')
      expect([status, body.items.length]).toEqual([200, 20])
      const mixed = new Set(body.items.map(({ name }) => name))
      if (mixed.has('one') || mixed.has('two')) expect(mixed.size).toBe(1)
    }
    await imports
  })
})

describe('a catalog registry', () => {
  test('keeps its content when a load fails, and has the new content after the next load', async () => {
    const service = connect(market.db.urlOf('catalog'), { max: 1, applicationName: 'test-registry' })
    const registry = new CatalogRegistry(service)
    await registry.load(['standards'])
    const size = registry.stores.standards.size
    await importTexts(sql, { standards: `${await shippedText('standards')}new,New,Us,,\n` })
    await sql`revoke select on catalog.standard_lookup from marketplace_catalog`
    await expect(registry.load(['standards'])).rejects.toThrow('permission denied')
    expect(registry.stores.standards.size).toBe(size)
    await sql`grant select on catalog.standard_lookup to marketplace_catalog`
    await registry.load()
    expect(registry.stores.standards.size).toBe(size + 1)
    await service.end({ timeout: 1 })
  })

  test('resolves concurrent loads when all requested catalogs are loaded', async () => {
    const service = connect(market.db.urlOf('catalog'), { max: 1, applicationName: 'test-registry' })
    const registry = new CatalogRegistry(service)
    await Promise.all([registry.load(['unspsc-categories']), registry.load(['materials', 'unspsc-categories'])])
    expect([registry.stores['unspsc-categories'].size, registry.stores.materials.size]).toEqual([5299, 50])
    await service.end({ timeout: 1 })
  })
})
