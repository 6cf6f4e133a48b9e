import { expect, setDefaultTimeout, test } from 'bun:test'
import { changesOf } from '../../testing/change-requests.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { insertShipment, orderParties, ordersOf } from '../../testing/orders.ts'
import { shipmentsOf } from '../../testing/shipments.ts'

setDefaultTimeout(60_000)
const market = await marketplaceOf(['sourcing'], RACING)
const { owner } = market.db
const { consumer, maker, place } = await orderParties(market)
const [made, bought] = [ordersOf(maker.administrator.client), ordersOf(consumer.administrator.client)]
const sent = shipmentsOf(maker.administrator.client)
const received = shipmentsOf(consumer.administrator.client)
const [changesMade, changesBought] = [changesOf(maker.administrator.client), changesOf(consumer.administrator.client)]
const ROUNDS = 15

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted()

/** An order of ten pieces, two of which were rejected. */
async function rejected() {
  const id = await place({ state: 'IN_PRODUCTION' })
  await insertShipment(owner, id, 'RECEIVED', 2)
  await owner`update sourcing.orders set state = 'DELIVERED' where id = ${id}`
  return id
}

test('of two shipments that together have too many pieces, one is refused', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place({ state: 'IN_PRODUCTION' })
    const answers = await Promise.all([sent.create(id, { quantity: 6 }), sent.create(id, { quantity: 6 })])
    expect(statuses(answers)).toEqual([201, 409])
    const { body } = await bought.read(id)
    expect([body.state, body.shippedQuantity]).toEqual(['IN_PRODUCTION', 6])
  }
})

test('of two receipts of a shipment, and of a receipt with the delivery, each piece counts once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place({ state: 'IN_PRODUCTION' })
    const { body: shipment } = await sent.create(id, { quantity: 10 })
    const answers = await Promise.all([
      received.receive(id, shipment.id, { acceptedQuantity: 8, rejectedQuantity: 2 }),
      received.receive(id, shipment.id, { acceptedQuantity: 10, rejectedQuantity: 0 }),
      bought.act(id, 'deliver'),
    ])
    expect(statuses(answers)).toEqual([200, 409, 409])
    const { body } = await bought.read(id)
    expect([body.state, (body.acceptedQuantity ?? 0) + (body.rejectedQuantity ?? 0)]).toEqual(['DELIVERED', 10])
  }
})

test('a receipt and the acceptance of a reduced quantity leave sums that fit', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place({ state: 'IN_PRODUCTION' })
    const { body: shipment } = await sent.create(id, { quantity: 6 })
    const { body: change } = await changesBought.create(id, { quantity: 6 })
    const answers = await Promise.all([
      received.receive(id, shipment.id, { acceptedQuantity: 6, rejectedQuantity: 0 }),
      changesMade.act(id, change.id, 'accept'),
    ])
    expect(statuses(answers)).toEqual([200, 200])
    const { body } = await bought.read(id)
    expect([body.state, body.quantity, body.shippedQuantity, body.acceptedQuantity]).toEqual(['DELIVERED', 6, 6, 6])
  }
})

test('a shipment and the acceptance of a quantity below it: one of them is refused', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place({ state: 'IN_PRODUCTION' })
    const { body: change } = await changesBought.create(id, { quantity: 4 })
    const answers = await Promise.all([sent.create(id, { quantity: 6 }), changesMade.act(id, change.id, 'accept')])
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(1)
    const { body } = await bought.read(id)
    expect([body.quantity, body.shippedQuantity]).toEqual(answers[0]?.status === 201 ? [10, 6] : [4, undefined])
  }
})

test('a settlement ends the order, before or after the acceptance of a remake', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await rejected()
    await made.act(id, 'remake', { quantity: 2 })
    const answers = await Promise.all([bought.act(id, 'complete', { settle: true }), bought.act(id, 'accept-remake')])
    const { body } = await bought.read(id)
    expect([answers[0]?.status, [200, 409].includes(answers[1]?.status ?? 0)]).toEqual([200, true])
    expect([body.state, body.settledTotal?.amount, body.proposedRemakeQuantity]).toEqual([
      'COMPLETED',
      '2013.90',
      undefined,
    ])
  }
})

test('of an accepted and a withdrawn change request, one is refused, and the order follows', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place({ state: 'CONFIRMED' })
    const { body: change } = await changesBought.create(id, { quantity: 8 })
    const answers = await Promise.all([
      changesMade.act(id, change.id, 'accept'),
      changesBought.act(id, change.id, 'withdraw'),
    ])
    expect(statuses(answers)).toEqual([200, 409])
    expect((await bought.read(id)).body.quantity).toBe(answers[0]?.status === 200 ? 8 : 10)
  }
})

test('both sides accept the request of the other at the same time: one change applies', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place({ state: 'CONFIRMED' })
    const [mine, theirs] = [
      (await changesBought.create(id, { quantity: 8 })).body,
      (await changesMade.create(id, { quantity: 12 })).body,
    ]
    const answers = await Promise.all([
      changesMade.act(id, mine.id, 'accept'),
      changesBought.act(id, theirs.id, 'accept'),
    ])
    expect(statuses(answers)).toEqual([200, 409])
    expect((await bought.read(id)).body.quantity).toBe(answers[0]?.status === 200 ? 8 : 12)
  }
})
