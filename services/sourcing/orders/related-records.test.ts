import { describe, expect, test } from 'bun:test'
import { ORDER_STATES, type OrderState } from '../../../proto/states/orders.ts'

import { FINAL_ORDER_STATES, LIVE_ORDER_STATES } from '../../testing/contract-states.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { publishedPart } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, factoryId, place } = await orderParties(market)
const parties = [consumer, ipOwner, maker, seller, distributor]
const own = new FileClient(market, ipOwner.administrator.client)
const heldIn = (state: OrderState) => ({ state, heldState: state === 'ON_HOLD' ? ('INSPECTION' as const) : null })

/** An internal part, which others read only because of orders. */
const internalPart = () => publishedPart(ipOwner.administrator.client, { internal: true })

describe('the part of an order', () => {
  test('is readable by every organization in the order, with metadata and files, and 404 for others', async () => {
    const partId = await internalPart()
    const statuses = async (path: string) =>
      Promise.all([...parties, stranger].map(async (org) => (await org.administrator.client.get(path)).status))
    for (const path of [`/v1/parts/${partId}`, `/v1/parts/${partId}/metadata`, `/v1/parts/${partId}/files`]) {
      expect([path, await statuses(path)]).toEqual([path, [404, 200, 404, 404, 404, 404]])
    }
    await place({ partId })
    for (const path of [`/v1/parts/${partId}`, `/v1/parts/${partId}/metadata`, `/v1/parts/${partId}/files`]) {
      expect([path, await statuses(path)]).toEqual([path, [200, 200, 200, 200, 200, 404]])
    }
    // Its history, and changes of it, stay with the IP owner.
    expect(await statuses(`/v1/parts/${partId}/history`)).toEqual([404, 200, 404, 404, 404, 404])
    const patched = await maker.administrator.client.send('PATCH', `/flows/v1/parts/${partId}`, {
      body: { title: 'x' },
    })
    expect(patched.status).toBe(404)
  })

  test('stays readable in every state of the order, and after the part is archived', async () => {
    const partId = await internalPart()
    const id = await place({ partId })
    await ipOwner.administrator.client.post(`/flows/v1/parts/${partId}/archive`)
    await ordersOf(maker.administrator.client).act(id, 'decline', { reason: 'x' })
    expect((await seller.administrator.client.get(`/v1/parts/${partId}`)).status).toBe(200)
  })

  test('is not sourceable by a party: its own RFQ for it is 400', async () => {
    const partId = await internalPart()
    await place({ partId })
    const body = {
      partId,
      expireTime: '2031-01-01T00:00:00Z',
      currency: 'EUR',
      deliveryRegionCode: 'DK',
    }
    expect((await consumer.administrator.client.post('/flows/v1/rfqs', body)).status).toBe(400)
  })

  test('is not in the list of parts of a party', async () => {
    const partId = await internalPart()
    await place({ partId })
    const { text } = await seller.administrator.client.get('/v1/parts?pageSize=50')
    expect(text).not.toContain(partId)
  })
})

describe('files of the group ip', () => {
  const groupsFor = async (partId: string, { administrator }: typeof maker) => {
    const { body } = await administrator.client.get<{ items: { group: string }[] }>(`/v1/parts/${partId}/files`)
    return body.items.map(({ group }) => group).toSorted()
  }

  test.each(ORDER_STATES)(
    'the manufacturer of an order that is %s sees them only while it is live and they are released',
    async (state) => {
      const partId = await internalPart()
      for (const group of ['document', 'ip', 'partDevelopment', 'development'] as const) {
        await own.addFile(partId, group, group)
      }
      const id = await place({ partId, ...heldIn(state) })
      for (const other of [maker, consumer, seller, distributor]) {
        expect(await groupsFor(partId, other)).toEqual(['document'])
      }
      await market.db.owner`update sourcing.orders set files_released_at = now() where id = ${id}`
      const seen = LIVE_ORDER_STATES.includes(state) ? ['document', 'ip'] : ['document']
      expect(await groupsFor(partId, maker)).toEqual(seen)
      for (const other of [consumer, seller, distributor]) expect(await groupsFor(partId, other)).toEqual(['document'])
      expect(await groupsFor(partId, ipOwner)).toHaveLength(4)
    },
  )

  test('appear with the release and the confirmation and disappear with the delivery, and another maker sees none', async () => {
    const partId = await internalPart()
    await own.addFile(partId, 'drawing', 'ip')
    const id = await place({ partId })
    const rival = await market.organization(['MANUFACTURER'])
    await place({ partId, manufacturerOrgId: rival.orgId, state: 'COMPLETED', filesReleased: true })
    await place({ partId, manufacturerOrgId: rival.orgId, state: 'CONFIRMED' })
    const made = ordersOf(maker.administrator.client)
    expect(await groupsFor(partId, maker)).toEqual([])
    expect((await ordersOf(ipOwner.administrator.client).act(id, 'release-files')).status).toBe(200)
    expect(await groupsFor(partId, maker)).toEqual([])
    await made.act(id, 'confirm')
    expect(await groupsFor(partId, maker)).toEqual(['ip'])
    expect(await groupsFor(partId, rival)).toEqual([])
    for (const verb of ['start', 'inspect', 'ship', 'deliver']) await made.act(id, verb)
    expect(await groupsFor(partId, maker)).toEqual([])
  })
})

describe('DELETE of a part', () => {
  const remove = (partId: string) => ipOwner.administrator.client.send('DELETE', `/flows/v1/parts/${partId}`)

  test.each(ORDER_STATES)('with an order that is %s is refused only while the order is unfinished', async (state) => {
    const partId = await internalPart()
    await place({ partId, ...heldIn(state) })
    expect((await remove(partId)).status).toBe(FINAL_ORDER_STATES.includes(state) ? 204 : 409)
  })

  test('is possible after the last order has ended; its order stays readable and its files do not', async () => {
    const partId = await internalPart()
    const id = await place({ partId })
    expect((await remove(partId)).status).toBe(409)
    await ordersOf(consumer.administrator.client).act(id, 'cancel', { reason: 'x' })
    expect((await remove(partId)).status).toBe(204)
    expect((await ordersOf(seller.administrator.client).read(id)).body.partId).toBe(partId)
    expect((await seller.administrator.client.get(`/v1/parts/${partId}/files`)).status).toBe(404)
  })
})

describe('the factory of an order', () => {
  test('is readable by every organization in the order, also in a batch, and 404 for others', async () => {
    const internal = `/v1/factories/${factoryId}`
    const statuses = () =>
      Promise.all([...parties, stranger].map(async (org) => (await org.administrator.client.get(internal)).status))
    const before = await market.organization(['SELLER'])
    expect((await before.administrator.client.get(internal)).status).toBe(404)
    await place()
    expect(await statuses()).toEqual([200, 200, 200, 200, 200, 404])
    const batch = (client: typeof before.administrator.client) =>
      client.post<{ items: { id: string }[] }>('/v1/factories:batch-get', { ids: [factoryId] })
    expect((await batch(seller.administrator.client)).body.items.map(({ id }) => id)).toEqual([factoryId])
    expect((await batch(stranger.administrator.client)).body.items).toEqual([])
  })

  test('is not listed for a party, and needs no permission', async () => {
    await place()
    const { body } = await consumer.administrator.client.get<{ items: { id: string }[] }>('/v1/factories?view=CONSUMER')
    expect(body.items.map(({ id }) => id)).not.toContain(factoryId)
    const viewer = await seller.member('Viewer')
    expect((await viewer.client.get(`/v1/factories/${factoryId}`)).status).toBe(200)
  })
})
