import { describe, expect, test } from 'bun:test'
import type { Factory } from '../../../proto/http/sourcing/factories.ts'
import type { ApiClient } from '../../testing/client.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const maker = await market.organization(['MANUFACTURER'])
const manufacturer = maker.administrator.client
const rival = (await market.organization(['MANUFACTURER'])).administrator.client
const distributor = await market.organization(['DISTRIBUTOR'])
const consumer = (await market.organization(['CONSUMER'])).administrator.client
const engaged = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })

const printer = await createFactory(manufacturer, {
  name: 'Bergen Print',
  capabilities: [
    {
      materialCode: '316l',
      technologyId: 'pbf-lb-m',
      standardCodes: ['iso-astm-52901'],
      criticalityIds: ['api-20s-amsl-2'],
    },
  ],
})
const mill = await createFactory(rival, { name: 'Essen Mill' })
const internal = await createFactory(manufacturer, { name: 'Bergen Laboratory', internal: true })
const closed = await createFactory(manufacturer, { name: 'Bergen Old Hall' })
await manufacturer.post(`/flows/v1/factories/${closed.id}/deactivate`)

describe('GET /v1/factories/{id} and batch get', () => {
  const get = (id: string, client: ApiClient) => client.get<Factory>(`/v1/factories/${id}`)

  test('a factory of either view is 200 with an entity tag', async () => {
    const { status, body, headers } = await get(printer.id, consumer)
    expect([status, body]).toEqual([200, printer])
    const tag = headers.get('etag') as string
    const again = await consumer.get(`/v1/factories/${printer.id}`, { headers: { 'if-none-match': tag } })
    expect(again.status).toBe(304)
    expect((await get(internal.id, manufacturer)).status).toBe(200)
    expect((await get(closed.id, manufacturer)).body.active).toBe(false)
  })

  test('a factory of neither view is 404, the same as an unknown one', async () => {
    for (const [id, client] of [
      [internal.id, consumer],
      [closed.id, consumer],
      [mill.id, manufacturer],
      [mill.id, engaged.administrator.client],
      ['factory_unknown', consumer],
    ] as const) {
      expect((await get(id, client)).status).toBe(404)
    }
  })

  /** The factories that a caller gets, and that a batch has for it. */
  const readBy = async (client: ApiClient) => {
    const all = { printer: printer.id, mill: mill.id, internal: internal.id, closed: closed.id }
    const single = await Promise.all(
      Object.entries(all).map(async ([name, id]) => {
        const { status } = await get(id, client)
        expect([name, [200, 404]]).toEqual([name, expect.arrayContaining([status])])
        return status === 200 ? [name] : []
      }),
    )
    const ids = Object.values(all)
    const batch = await client.post<{ items: Factory[] }>('/v1/factories:batch-get', { ids })
    expect(batch.status).toBe(200)
    const named = batch.body.items.map(({ id }) => Object.entries(all).find(([, one]) => one === id)?.[0] as string)
    expect(named).toEqual(single.flat())
    return named
  }

  test('own factories need no permission; those of others need that of the consumer or of the distributor', async () => {
    const manufacturing = await maker.member([])
    expect(await readBy(manufacturing.client)).toEqual(['printer', 'internal', 'closed'])
    const both = await market.organization(['CONSUMER', 'DISTRIBUTOR'])
    expect(await readBy((await both.member([])).client)).toEqual([])
    expect(await readBy((await both.member(['app:distributor', 'case:read'])).client)).toEqual([])
    expect(await readBy((await both.member(['app:consumer'])).client)).toEqual(['printer', 'mill'])
    expect(await readBy((await both.member(['factory:release'])).client)).toEqual(['printer', 'mill'])
  })

  test('a distributor reads what it may release, a consumer of it what it has released', async () => {
    expect(await readBy(distributor.administrator.client)).toEqual(['printer', 'mill'])
    expect(await readBy(engaged.administrator.client)).toEqual([])
    await distributor.administrator.client.post(`/flows/v1/factories/${mill.id}/release`, { orgId: engaged.orgId })
    expect(await readBy(engaged.administrator.client)).toEqual(['mill'])
    await distributor.administrator.client.post(`/flows/v1/factories/${mill.id}/withdraw`, { orgId: engaged.orgId })
    expect(await readBy(engaged.administrator.client)).toEqual([])
  })

  test('a permission has no effect in an organization without its role', async () => {
    const seller = await market.organization(['SELLER'])
    expect(await readBy(seller.administrator.client)).toEqual([])
  })

  test('a batch is in the order of the request, once each, without those that the caller cannot read', async () => {
    const ids = [mill.id, internal.id, printer.id, mill.id, 'factory_unknown', closed.id]
    const { body } = await consumer.post<{ items: Factory[] }>('/v1/factories:batch-get', { ids })
    expect(body.items.map(({ id }) => id)).toEqual([mill.id, printer.id])
    const own = await manufacturer.post<{ items: Factory[] }>('/v1/factories:batch-get', { ids })
    expect(own.body.items.map(({ id }) => id)).toEqual([internal.id, printer.id, closed.id])
    expect((await consumer.post('/v1/factories:batch-get', { ids: [] })).status).toBe(400)
  })
})
