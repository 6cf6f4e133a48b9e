import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Order } from '../../../proto/http/sourcing/orders.ts'
import { Shipment } from '../../../proto/http/sourcing/shipments.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { entriesOf } from '../../testing/people.ts'
import { shipmentsOf } from '../../testing/shipments.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const made = ordersOf(maker.administrator.client)
const bought = ordersOf(consumer.administrator.client)
const sent = shipmentsOf(maker.administrator.client)
const received = shipmentsOf(consumer.administrator.client)
const isShipment = TypeCompiler.Compile(Shipment)
const isOrder = TypeCompiler.Compile(Order)

const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const accepted = (acceptedQuantity: number, rejectedQuantity = 0) => ({ acceptedQuantity, rejectedQuantity })

/** The state and the sums of an order of ten pieces, as its consumer reads them. */
async function sumsOf(id: string) {
  const { body } = await bought.read(id)
  expect(isOrder.Check(body)).toBe(true)
  const { state, shippedQuantity, acceptedQuantity, rejectedQuantity, remadeQuantity } = body
  return [state, shippedQuantity, acceptedQuantity, rejectedQuantity, remadeQuantity]
}

describe('POST /flows/v1/orders/{id}/shipments', () => {
  test('ships some pieces and keeps the state; the shipment of the last piece makes the order SHIPPED', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const first = await sent.create(id, { quantity: 4, carrier: 'Nordic Freight', trackingNumber: 'NF-1' })
    expect([first.status, isShipment.Check(first.body)]).toEqual([201, true])
    expect(first.body).toMatchObject({ orderId: id, state: 'SHIPPED', quantity: 4, carrier: 'Nordic Freight' })
    expect(await sumsOf(id)).toEqual(['IN_PRODUCTION', 4, undefined, undefined, undefined])
    await made.act(id, 'inspect')
    expect((await sent.create(id, { quantity: 5, carrier: 'Baltic Parcel' })).status).toBe(201)
    expect(await sumsOf(id)).toEqual(['INSPECTION', 9, undefined, undefined, undefined])
    expect((await sent.create(id, { quantity: 1 })).status).toBe(201)
    expect(await sumsOf(id)).toEqual(['SHIPPED', 10, undefined, undefined, undefined])
    const { carrier, trackingNumber } = (await bought.read(id)).body
    expect([carrier, trackingNumber]).toEqual(['Baltic Parcel', 'NF-1'])
  })

  test('is named in the audit log, as is the one of all pieces that are left', async () => {
    const id = await place({ state: 'INSPECTION' })
    const { body: first } = await sent.create(id, { quantity: 4 })
    expect((await made.act(id, 'ship', { carrier: 'Nordic Freight' })).status).toBe(200)
    const rest = (await sent.list(id)).body.items.find((shipment) => shipment.id !== first.id)
    expect(rest?.quantity).toBe(6)
    const requestOf = async (procedure: string) =>
      (await entriesOf(market, maker.orgId, procedure)).find(({ request }) => request.id === id)?.request
    expect(await requestOf('order.shipment.create')).toEqual({ id, quantity: 4, shipmentId: first.id })
    expect(await requestOf('order.ship')).toEqual({ id, carrier: 'Nordic Freight', shipmentId: rest?.id })
  })

  test('ships at most the pieces that are left', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const tooMany = await sent.create(id, { quantity: 11 })
    expect([tooMany.status, fields(tooMany)]).toEqual([409, ['quantity']])
    await sent.create(id, { quantity: 7 })
    const rest = await sent.create(id, { quantity: 4 })
    expect([rest.status, rest.body.errors?.[0]?.message]).toEqual([
      409,
      'must be at most 3, the pieces that are not shipped',
    ])
    expect(await sumsOf(id)).toEqual(['IN_PRODUCTION', 7, undefined, undefined, undefined])
  })

  test.each([0, -1, 1.5, 1_000_000_001, '3', null])('a quantity of %p is 400', async (quantity) => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const answer = await sent.create(id, { quantity })
    expect([answer.status, fields(answer)]).toEqual([400, ['quantity']])
  })

  test('shippedTime is neither in the future nor before the order', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    for (const shippedTime of ['2031-01-01T00:00:00Z', '2020-01-01T00:00:00Z']) {
      const answer = await sent.create(id, { quantity: 1, shippedTime })
      expect([answer.status, fields(answer)]).toEqual([400, ['shippedTime']])
    }
    const now = new Date().toISOString()
    expect((await sent.create(id, { quantity: 1, shippedTime: now })).body.shippedTime).toBe(now)
  })

  test('ship is a shipment of all that is left', async () => {
    const id = await place({ state: 'INSPECTION' })
    await sent.create(id, { quantity: 3 })
    await made.act(id, 'ship', { carrier: 'Nordic Freight' })
    const { items } = (await received.list(id)).body
    expect(items.map(({ quantity, carrier }) => [quantity, carrier])).toEqual([
      [7, 'Nordic Freight'],
      [3, undefined],
    ])
    expect(await sumsOf(id)).toEqual(['SHIPPED', 10, undefined, undefined, undefined])
  })

  test('an order has at most 200 shipments, besides one of all that is left', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    await market.db.owner`
      insert into sourcing.shipments (id, order_id, consumer_org_id, state, quantity, shipped_at, created_at)
      select ${id} || n, ${id}, ${consumer.orgId}, 'SHIPPED', 1, now(), now() from generate_series(1, 200) n`
    const answer = await sent.create(id, { quantity: 1 })
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
    expect((await sent.create(id, { quantity: 10 })).status).toBe(201)
  })
})

describe('GET /flows/v1/orders/{id}/shipments', () => {
  test('is for every organization named in the order; for others it is 404', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const { body } = await sent.create(id, { quantity: 2 })
    for (const { administrator } of [consumer, ipOwner, maker, seller, distributor]) {
      expect((await shipmentsOf(administrator.client).list(id)).body.items).toEqual([body])
    }
    expect((await shipmentsOf(stranger.administrator.client).list(id)).status).toBe(404)
  })
})

describe('POST …/shipments/{shipmentId}/receive', () => {
  const shipped = async (quantities: readonly number[]) => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const ids: string[] = []
    for (const quantity of quantities) ids.push((await sent.create(id, { quantity })).body.id)
    return { id, ids: ids as [string, string] }
  }

  test('records accepted and rejected pieces; DELIVERED when everything was shipped and received', async () => {
    const { id, ids } = await shipped([6, 4])
    const first = await received.receive(id, ids[0], accepted(6))
    expect([first.status, isShipment.Check(first.body)]).toEqual([200, true])
    expect(first.body).toMatchObject({ state: 'RECEIVED', acceptedQuantity: 6, rejectedQuantity: 0 })
    expect(await sumsOf(id)).toEqual(['SHIPPED', 10, 6, 0, undefined])
    await received.receive(id, ids[1], { ...accepted(3, 1), reason: 'One bore is out of tolerance.' })
    expect(await sumsOf(id)).toEqual(['DELIVERED', 10, 9, 1, undefined])
  })

  test('a shipment can be received before the rest is shipped', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const { body } = await sent.create(id, { quantity: 4 })
    await received.receive(id, body.id, accepted(4))
    expect(await sumsOf(id)).toEqual(['IN_PRODUCTION', 4, 4, 0, undefined])
    await made.act(id, 'inspect')
    await made.act(id, 'ship')
    expect(await sumsOf(id)).toEqual(['SHIPPED', 10, 4, 0, undefined])
  })

  test('accepted and rejected pieces are together those of the shipment', async () => {
    const { id, ids } = await shipped([6])
    for (const body of [accepted(5), accepted(6, 1), accepted(0, 7)]) {
      const answer = await received.receive(id, ids[0], body)
      expect([answer.status, fields(answer)]).toEqual([400, ['acceptedQuantity']])
    }
    for (const body of [accepted(-1, 7), accepted(6.5, -0.5), { acceptedQuantity: 6 }, {}]) {
      expect((await received.receive(id, ids[0], body)).status).toBe(400)
    }
    expect(await sumsOf(id)).toEqual(['IN_PRODUCTION', 6, undefined, undefined, undefined])
  })

  test('a shipment is received once', async () => {
    const { id, ids } = await shipped([6])
    await received.receive(id, ids[0], accepted(6))
    const again = await received.receive(id, ids[0], accepted(5, 1))
    expect([again.status, again.body.code]).toEqual([409, 'illegal_transition'])
    expect(await sumsOf(id)).toEqual(['IN_PRODUCTION', 6, 6, 0, undefined])
  })

  test("is the consumer's alone, and a shipment of another order is 404", async () => {
    const { id, ids } = await shipped([6])
    for (const { administrator } of [ipOwner, maker, seller, distributor, stranger]) {
      expect((await shipmentsOf(administrator.client).receive(id, ids[0], accepted(6))).status).toBe(404)
    }
    const other = await shipped([1])
    const [foreign, unknown] = await Promise.all([
      received.receive(id, other.ids[0], accepted(1)),
      received.receive(id, 'shipment_unknown', accepted(1)),
    ])
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    const seen = await sumsOf(other.id)
    expect(seen).toEqual(['IN_PRODUCTION', 1, undefined, undefined, undefined])
  })

  test('order:receive is what it needs; order:update does not suffice', async () => {
    const { id, ids } = await shipped([6])
    const without = await consumer.member(['order:update'])
    expect((await shipmentsOf(without.client).receive(id, ids[0], accepted(6))).status).toBe(403)
    const buyer = await consumer.member('Buyer')
    expect((await shipmentsOf(buyer.client).receive(id, ids[0], accepted(6))).status).toBe(200)
  })

  test('a rejection opens a QUALITY case with consumer, manufacturer and IP owner', async () => {
    const { id, ids } = await shipped([6])
    await received.receive(id, ids[0], { ...accepted(4, 2), reason: 'Two bores are out of tolerance.' })
    const casesOf = async ({ administrator }: typeof maker) =>
      (
        await administrator.client.get<{ items: { kind: string; description: string; partyOrgIds: string[] }[] }>(
          `/flows/v1/cases?orderId=${id}`,
        )
      ).body.items
    const [opened, ...others] = await casesOf(maker)
    expect(others).toEqual([])
    expect(opened).toMatchObject({
      kind: 'QUALITY',
      description: 'Two bores are out of tolerance.',
      partyOrgIds: [consumer.orgId, maker.orgId, ipOwner.orgId],
    })
    expect((await casesOf(ipOwner)).length).toBe(1)
    for (const org of [seller, distributor, stranger]) expect(await casesOf(org)).toEqual([])
  })

  test('a receipt without rejection opens no case', async () => {
    const { id, ids } = await shipped([6])
    await received.receive(id, ids[0], accepted(6))
    const { body } = await maker.administrator.client.get<{ items: unknown[] }>(`/flows/v1/cases?orderId=${id}`)
    expect(body.items).toEqual([])
  })
})
