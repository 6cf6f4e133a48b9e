import { describe, expect, test } from 'bun:test'
import type { OrderState } from '../../../proto/states/orders.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { insertShipment, orderParties, ordersOf } from '../../testing/orders.ts'
import { shipmentsOf } from '../../testing/shipments.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const { owner } = market.db
const [made, bought, sold] = [maker, consumer, seller].map(({ administrator }) => ordersOf(administrator.client)) as [
  ReturnType<typeof ordersOf>,
  ReturnType<typeof ordersOf>,
  ReturnType<typeof ordersOf>,
]
const sent = shipmentsOf(maker.administrator.client)
const received = shipmentsOf(consumer.administrator.client)

/**
 * An order of ten pieces at 95.50, tooling 1200 and shipping 49.90, whose pieces are received, two of them rejected.
 */
async function rejected(state: OrderState = 'DELIVERED') {
  const id = await place({ state: 'IN_PRODUCTION' })
  await insertShipment(owner, id, 'RECEIVED', 2)
  const heldState = state === 'ON_HOLD' ? 'INSPECTION' : null
  await owner`update sourcing.orders set state = ${state}, held_state = ${heldState} where id = ${id}`
  return id
}

const quantityOf = async (id: string) => {
  const { state, acceptedQuantity, rejectedQuantity, remadeQuantity, proposedRemakeQuantity } = (await bought.read(id))
    .body
  return [state, acceptedQuantity, rejectedQuantity, remadeQuantity, proposedRemakeQuantity]
}

describe('deliver', () => {
  test('by manufacturer or seller records the arrival of each shipment; the consumer still receives', async () => {
    for (const by of [made, sold]) {
      const id = await place({ state: 'IN_PRODUCTION' })
      const [first, second] = [await sent.create(id, { quantity: 4 }), await sent.create(id, { quantity: 6 })]
      const { body } = await by.act(id, 'deliver')
      expect([body.state, body.acceptedQuantity, typeof body.arrivedTime]).toEqual(['DELIVERED', undefined, 'string'])
      const { items } = (await received.list(id)).body
      expect(items.map(({ state, arrivedTime }) => [state, arrivedTime])).toEqual([
        ['ARRIVED', body.arrivedTime],
        ['ARRIVED', body.arrivedTime],
      ])
      await received.receive(id, first.body.id, { acceptedQuantity: 3, rejectedQuantity: 1 })
      expect(await quantityOf(id)).toEqual(['DELIVERED', 3, 1, undefined, undefined])
      await received.receive(id, second.body.id, { acceptedQuantity: 6, rejectedQuantity: 0 })
      expect(await quantityOf(id)).toEqual(['DELIVERED', 9, 1, undefined, undefined])
    }
  })

  test('by the consumer is the receipt of everything that it has not received, as accepted', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const first = await sent.create(id, { quantity: 4 })
    await received.receive(id, first.body.id, { acceptedQuantity: 3, rejectedQuantity: 1 })
    await sent.create(id, { quantity: 6 })
    expect((await bought.act(id, 'deliver')).body).toMatchObject({
      state: 'DELIVERED',
      acceptedQuantity: 9,
      rejectedQuantity: 1,
    })
    expect((await received.list(id)).body.items.map(({ acceptedQuantity }) => acceptedQuantity)).toEqual([6, 3])
  })

  test('by the consumer needs order:receive, by the manufacturer order:update', async () => {
    const id = await place({ state: 'SHIPPED' })
    const [buyer, worker] = [await consumer.member(['order:update']), await maker.member(['order:receive'])]
    for (const [{ client }, needed] of [
      [buyer, 'order:receive'],
      [worker, 'order:update'],
    ] as const) {
      const { status, body } = await ordersOf(client).act(id, 'deliver')
      expect([status, body.detail]).toEqual([403, `This needs the permission ${needed}.`])
    }
    expect((await bought.read(id)).body.state).toBe('SHIPPED')
  })

  test('by a consumer that also sells is the receipt with order:receive, and with order:update the arrival', async () => {
    for (const [permission, accepted, state] of [
      ['order:receive', 10, 'RECEIVED'],
      ['order:update', undefined, 'ARRIVED'],
    ] as const) {
      const id = await place({ state: 'SHIPPED', sellerOrgId: consumer.orgId })
      const { body } = await ordersOf((await consumer.member([permission])).client).act(id, 'deliver')
      expect([permission, body.state, body.acceptedQuantity]).toEqual([permission, 'DELIVERED', accepted])
      expect((await received.list(id)).body.items[0]?.state).toBe(state)
    }
  })
})

describe('complete', () => {
  test('accepts what has arrived and was not received', async () => {
    const id = await place({ state: 'DELIVERED' })
    expect((await bought.act(id, 'complete')).body).toMatchObject({ state: 'COMPLETED', acceptedQuantity: 10 })
    const [shipment] = (await received.list(id)).body.items
    expect([shipment?.state, shipment?.acceptedQuantity]).toEqual(['RECEIVED', 10])
    expect((await bought.read(id)).body.settledTotal).toBeUndefined()
  })

  test('is refused while a rejection is neither made again nor settled', async () => {
    const id = await rejected()
    const { status, body } = await bought.act(id, 'complete')
    expect([status, body.detail]).toEqual([
      409,
      '2 rejected pieces are neither made again nor settled. Accept a remake, or settle.',
    ])
    expect((await bought.read(id)).body.state).toBe('DELIVERED')
  })

  test.each(['IN_PRODUCTION', 'INSPECTION', 'ON_HOLD', 'DELIVERED'] as const)(
    'with settle ends an order that is %s after a rejection, and pays for the accepted pieces',
    async (state) => {
      const id = await rejected(state)
      const { status, body } = await bought.act(id, 'complete', { settle: true })
      expect([status, body.state]).toEqual([200, 'COMPLETED'])
      // 8 × 95.50 + 1200 + 49.90; the total stays.
      expect([body.settledTotal?.amount, body.total.amount]).toEqual(['2013.90', '2204.90'])
    },
  )

  test('with settle pays exactly: decimals are not rounded', async () => {
    const id = await rejected()
    await owner`
      update sourcing.orders set unit_price = 0.3333, tooling_cost = null, shipping_cost = 0.1, total = 3.433
      where id = ${id}`
    // 8 × 0.3333 + 0.1
    expect((await bought.act(id, 'complete', { settle: true })).body.settledTotal?.amount).toBe('2.7664')
  })

  test('with settle needs a rejection, and each shipment to be received', async () => {
    const whole = await place({ state: 'DELIVERED' })
    const nothing = await bought.act(whole, 'complete', { settle: true })
    expect([nothing.status, nothing.body.detail]).toEqual([409, 'Nothing was rejected, so there is nothing to settle.'])
    const id = await place({ state: 'IN_PRODUCTION' })
    const { body } = await sent.create(id, { quantity: 4 })
    await received.receive(id, body.id, { acceptedQuantity: 3, rejectedQuantity: 1 })
    await sent.create(id, { quantity: 6 })
    const early = await bought.act(id, 'complete', { settle: true })
    expect([early.status, early.body.detail]).toEqual([409, 'Receive the shipments first: 1 are not received.'])
  })

  test('settle: false completes as without it; other values are 400', async () => {
    const id = await place({ state: 'DELIVERED' })
    expect((await bought.act(id, 'complete', { settle: 'yes' })).status).toBe(400)
    expect((await bought.act(id, 'complete', { settle: false })).body.state).toBe('COMPLETED')
  })
})

describe('a remake', () => {
  test('is proposed by the manufacturer, accepted by the consumer, and returns the order to IN_PRODUCTION', async () => {
    const id = await rejected()
    const proposed = await made.act(id, 'remake', { quantity: 2 })
    expect([proposed.status, proposed.body.state, proposed.body.proposedRemakeQuantity]).toEqual([200, 'DELIVERED', 2])
    expect((await bought.act(id, 'accept-remake')).status).toBe(200)
    expect(await quantityOf(id)).toEqual(['IN_PRODUCTION', 8, 2, 2, undefined])
    expect((await bought.read(id)).body.arrivedTime).toBeUndefined()
    // At most the ordered and the remade pieces are shipped.
    expect((await sent.create(id, { quantity: 3 })).status).toBe(409)
    const { body } = await sent.create(id, { quantity: 2 })
    expect((await bought.read(id)).body).toMatchObject({ state: 'SHIPPED', shippedQuantity: 12 })
    await received.receive(id, body.id, { acceptedQuantity: 2, rejectedQuantity: 0 })
    expect(await quantityOf(id)).toEqual(['DELIVERED', 10, 2, 2, undefined])
    expect((await bought.act(id, 'complete')).body).toMatchObject({ state: 'COMPLETED', total: { amount: '2204.90' } })
  })

  test('that is declined changes nothing, and another one can be proposed', async () => {
    const id = await rejected()
    await made.act(id, 'remake', { quantity: 2 })
    const second = await made.act(id, 'remake', { quantity: 1 })
    expect([second.status, second.body.detail]).toEqual([409, 'The consumer has not decided the proposed remake yet.'])
    expect((await bought.act(id, 'decline-remake')).status).toBe(200)
    expect(await quantityOf(id)).toEqual(['DELIVERED', 8, 2, undefined, undefined])
    expect((await bought.act(id, 'accept-remake')).status).toBe(409)
    expect((await bought.act(id, 'decline-remake')).status).toBe(409)
    expect((await made.act(id, 'remake', { quantity: 1 })).status).toBe(200)
  })

  test('has at most the rejected pieces that are not made again', async () => {
    const id = await rejected()
    const tooMany = await made.act(id, 'remake', { quantity: 3 })
    expect([tooMany.status, tooMany.body.errors?.[0]?.message]).toEqual([
      409,
      'must be at most 2, the rejected pieces that are not made again',
    ])
    for (const quantity of [0, -1, 1.5]) expect((await made.act(id, 'remake', { quantity })).status).toBe(400)
    const whole = await place({ state: 'DELIVERED' })
    expect((await made.act(whole, 'remake', { quantity: 1 })).status).toBe(409)
  })

  test.each([
    ['remake', 'manufacturer'],
    ['accept-remake', 'consumer'],
    ['decline-remake', 'consumer'],
  ] as const)("%s is the %s's alone, in the states of the contract", async (verb, by) => {
    const callers = { consumer, ipOwner, manufacturer: maker, seller, distributor, stranger }
    const states = ['IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'DELIVERED', 'COMPLETED', 'ON_HOLD'] as const
    for (const [name, { administrator }] of Object.entries(callers)) {
      const statuses = await Promise.all(
        states.map(async (state) => {
          const id = await rejected(state)
          if (verb !== 'remake') await owner`update sourcing.orders set proposed_remake_quantity = 2 where id = ${id}`
          return (await ordersOf(administrator.client).act(id, verb, verb === 'remake' ? { quantity: 1 } : undefined))
            .status
        }),
      )
      const onHold = verb === 'decline-remake' ? 200 : 409
      expect([name, statuses]).toEqual([name, name === by ? [200, 200, 200, 200, 409, onHold] : Array(6).fill(404)])
    }
  })
})

test('pieces that are made again have a bound, so that their sums can be counted', async () => {
  const id = await place({ state: 'IN_PRODUCTION' })
  await owner`
    update sourcing.orders set quantity = 1000000000, total = 1000000000 * unit_price + tooling_cost + shipping_cost,
      shipped_quantity = 1900000000, rejected_quantity = 1900000000, remade_quantity = 900000000
    where id = ${id}`
  const refused = await made.act(id, 'remake', { quantity: 100_000_001 })
  expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([409, 'quantity'])
  expect((await made.act(id, 'remake', { quantity: 100_000_000 })).status).toBe(200)
  expect((await bought.act(id, 'accept-remake')).body.remadeQuantity).toBe(1_000_000_000)
})

describe('cancel', () => {
  test('by the consumer ends an order that is ON_HOLD from CONFIRMED, and no other one on hold', async () => {
    const cancel = (id: string) => bought.act(id, 'cancel', { reason: 'Not this month.' })
    expect((await cancel(await place({ state: 'ON_HOLD', heldState: 'CONFIRMED' }))).body.state).toBe('CANCELLED')
    for (const heldState of ['IN_PRODUCTION', 'INSPECTION'] as const) {
      const { status, body } = await cancel(await place({ state: 'ON_HOLD', heldState }))
      expect([status, body.detail]).toEqual([
        409,
        `The order is on hold from ${heldState}. Propose to cancel it by a change request.`,
      ])
    }
  })
})
