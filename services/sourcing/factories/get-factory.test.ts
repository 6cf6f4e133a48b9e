import { describe, expect, test } from 'bun:test'
import type { Factory } from '../../../proto/http/sourcing/factories.ts'
import type { ApiClient } from '../../testing/client.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const manufacturer = (await market.organization(['MANUFACTURER'])).administrator.client
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

  test('a view without its permission shows nothing, and no permission of any role is 403', async () => {
    const both = await market.organization(['CONSUMER', 'MANUFACTURER'])
    const own = await createFactory(both.administrator.client, { internal: true })
    const buyer = await both.member(['app:consumer'])
    expect((await get(own.id, both.administrator.client)).status).toBe(200)
    expect((await get(own.id, buyer.client)).status).toBe(404)
    const powerless = await both.member([])
    expect((await get(printer.id, powerless.client)).status).toBe(403)
    expect((await powerless.client.post('/v1/factories:batch-get', { ids: [printer.id] })).status).toBe(403)
    // A distributor reads the factories of its orders alone.
    expect((await get(printer.id, distributor.administrator.client)).status).toBe(404)
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
