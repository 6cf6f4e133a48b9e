import { describe, expect, test } from 'bun:test'
import { changesOf } from '../../testing/change-requests.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { shipmentsOf } from '../../testing/shipments.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { owner } = market.db
const { consumer, maker, place } = await orderParties(market)
const bought = changesOf(consumer.administrator.client)
const made = changesOf(maker.administrator.client)
const sent = shipmentsOf(maker.administrator.client)
const received = shipmentsOf(consumer.administrator.client)
const read = async (id: string) => (await ordersOf(consumer.administrator.client).read(id)).body

const eur = (amount: string) => ({ amount, currency: 'EUR' as const })
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

describe('a change of a partly shipped order', () => {
  const shipped = async (quantity: number) => {
    const id = await place({ state: 'IN_PRODUCTION' })
    return { id, shipment: (await sent.create(id, { quantity })).body }
  }

  test('has a quantity that is not below what is shipped, also when it is accepted', async () => {
    const { id } = await shipped(6)
    const low = await bought.create(id, { quantity: 5 })
    expect([low.status, low.body.errors?.[0]?.message]).toEqual([
      409,
      'must be at least 6, the pieces that are shipped',
    ])
    const { body } = await bought.create(id, { quantity: 7 })
    await sent.create(id, { quantity: 2 })
    const late = await made.act(id, body.id, 'accept')
    expect([late.status, fields(late)]).toEqual([409, ['quantity']])
    expect((await read(id)).quantity).toBe(10)
  })

  test('that reduces it to exactly what is shipped makes it SHIPPED, and DELIVERED once all has arrived', async () => {
    for (const [isReceived, state] of [
      [false, 'SHIPPED'],
      [true, 'DELIVERED'],
    ] as const) {
      const { id, shipment } = await shipped(6)
      if (isReceived) await received.receive(id, shipment.id, { acceptedQuantity: 6, rejectedQuantity: 0 })
      const { body } = await bought.create(id, { quantity: 6 })
      await made.act(id, body.id, 'accept')
      const order = await read(id)
      // 6 × 95.50 + 1200 + 49.90
      expect([order.state, order.quantity, order.total.amount]).toEqual([state, 6, '1822.90'])
    }
  })

  test('cancels what is not shipped: the order goes on with the pieces that are', async () => {
    const { id } = await shipped(6)
    const { body } = await bought.create(id, { cancel: true, fee: eur('100') })
    await made.act(id, body.id, 'accept')
    const order = await read(id)
    expect([order.state, order.quantity, order.total.amount, order.cancellationFee]).toEqual([
      'SHIPPED',
      6,
      '1822.90',
      eur('100.00'),
    ])
  })

  test('a cancellation also drops the pieces that were to be made again', async () => {
    const { id, shipment } = await shipped(10)
    await received.receive(id, shipment.id, { acceptedQuantity: 7, rejectedQuantity: 3 })
    await ordersOf(maker.administrator.client).act(id, 'remake', { quantity: 3 })
    await ordersOf(consumer.administrator.client).act(id, 'accept-remake')
    await sent.create(id, { quantity: 1 })
    const { body } = await made.create(id, { cancel: true })
    await bought.act(id, body.id, 'accept')
    const order = await read(id)
    expect([order.state, order.quantity, order.remadeQuantity, order.shippedQuantity]).toEqual(['SHIPPED', 10, 1, 11])
  })

  test('the shipment of the last piece, and a cancellation, withdraw what is PROPOSED', async () => {
    const { id } = await shipped(6)
    await bought.create(id, { dueDate: '2031-06-24' })
    await sent.create(id, { quantity: 4 })
    expect((await bought.list(id)).body.items.map(({ state }) => state)).toEqual(['WITHDRAWN'])
    const placed = await place()
    await made.create(placed, { dueDate: '2031-06-24' })
    await ordersOf(consumer.administrator.client).act(placed, 'cancel', { reason: 'Not this month.' })
    expect((await bought.list(placed)).body.items.map(({ state }) => state)).toEqual(['WITHDRAWN'])
  })
})

describe('a cancellation', () => {
  test('that is accepted ends the order, with the fee; the reason stays between both sides', async () => {
    for (const state of ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD'] as const) {
      const id = await place({ state, heldState: state === 'ON_HOLD' ? 'IN_PRODUCTION' : null })
      const { body } = await bought.create(id, { cancel: true, fee: eur('300.5') })
      await made.act(id, body.id, 'accept')
      const order = await read(id)
      expect([order.state, order.cancellationFee, order.reason, order.total.amount]).toEqual([
        'CANCELLED',
        eur('300.50'),
        undefined,
        '2204.90',
      ])
    }
  })

  test('of an order that cannot be cancelled does not keep others from taking effect', async () => {
    // The sums of a broken order violate a check of its table.
    const broken = await requested(30, 60, bought)
    await owner.unsafe(`
      create function sourcing.refuse_order() returns trigger language plpgsql as
        $$ begin raise 'broken'; end $$;
      create trigger refuse_order before update on sourcing.orders
        for each row when (new.id = '${broken}' and new.state = 'CANCELLED') execute function sourcing.refuse_order()`)
    const id = await requested(14, 30, bought)
    await until(async () => (await read(id)).state === 'CANCELLED', { what: 'the cancellation' })
    expect((await read(broken)).state).toBe('IN_PRODUCTION')
    await owner.unsafe('drop trigger refuse_order on sourcing.orders; drop function sourcing.refuse_order()')
  })

  test('of what is left adds its fee to one that was agreed before, and a later change keeps it', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const { body: shipment } = await sent.create(id, { quantity: 5 })
    const { body } = await bought.create(id, { cancel: true, fee: eur('100') })
    await made.act(id, body.id, 'accept')
    await received.receive(id, shipment.id, { acceptedQuantity: 4, rejectedQuantity: 1 })
    await ordersOf(maker.administrator.client).act(id, 'remake', { quantity: 1 })
    await ordersOf(consumer.administrator.client).act(id, 'accept-remake')
    const { body: later } = await made.create(id, { dueDate: '2031-07-01' })
    await bought.act(id, later.id, 'accept')
    expect((await read(id)).cancellationFee).toEqual(eur('100.00'))
  })

  /** An order with a request to cancel it, made and due these days ago. */
  async function requested(madeAgo: number, dueAgo: number, by: typeof bought) {
    const id = await place({ state: 'IN_PRODUCTION' })
    const { body } = await by.create(id, { cancel: true, fee: eur('50') })
    await owner`update sourcing.orders set due_date = current_date - ${dueAgo}::integer where id = ${id}`
    await owner`
      update sourcing.change_requests set created_at = now() - make_interval(days => ${madeAgo}) - interval '1 minute'
      where id = ${body.id}`
    return id
  }

  test('of the consumer that is unanswered for 14 days on an order 30 days overdue takes effect without fee', async () => {
    const [early, soon, theirs] = [
      await requested(13, 40, bought),
      await requested(20, 29, bought),
      await requested(20, 40, made),
    ]
    const id = await requested(14, 30, bought)
    await until(async () => (await read(id)).state === 'CANCELLED', { what: 'the cancellation' })
    const order = await read(id)
    expect([order.cancellationFee, order.reason]).toEqual([undefined, undefined])
    expect((await bought.list(id)).body.items[0]).toMatchObject({ state: 'ACCEPTED', cancel: true })
    for (const other of [early, soon, theirs]) expect((await read(other)).state).toBe('IN_PRODUCTION')
  })
})
