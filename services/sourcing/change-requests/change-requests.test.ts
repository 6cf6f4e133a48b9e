import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ChangeRequest } from '../../../proto/http/sourcing/change-requests.ts'
import { Order } from '../../../proto/http/sourcing/orders.ts'
import { ORDER_STATES } from '../../../proto/states/orders.ts'
import { assignmentOf, eventsOf } from '../../testing/assignments.ts'
import { changesOf } from '../../testing/change-requests.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { shipmentsOf } from '../../testing/shipments.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const bought = changesOf(consumer.administrator.client)
const made = changesOf(maker.administrator.client)
const sent = shipmentsOf(maker.administrator.client)
const read = async (id: string) => (await ordersOf(consumer.administrator.client).read(id)).body
const isChangeRequest = TypeCompiler.Compile(ChangeRequest)
const isOrder = TypeCompiler.Compile(Order)

const eur = (amount: string) => ({ amount, currency: 'EUR' as const })
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

describe('POST /flows/v1/orders/{id}/change-requests', () => {
  test('proposes values beside those of the order, which stays as it is', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const before = await read(id)
    const { status, body } = await bought.create(id, { quantity: 8, dueDate: '2031-06-24', unitPrice: eur('99') })
    expect([status, isChangeRequest.Check(body)]).toEqual([201, true])
    expect(body).toMatchObject({
      orderId: id,
      proposedBy: 'CONSUMER',
      state: 'PROPOSED',
      quantity: 8,
      dueDate: '2031-06-24',
      unitPrice: eur('99.00'),
      previous: { quantity: 10, dueDate: '2031-05-29', unitPrice: eur('95.50') },
    })
    expect(await read(id)).toEqual(before)
  })

  test.each([
    [{}, ['body']],
    [{ quantity: 10, dueDate: '2031-05-29', unitPrice: eur('95.5') }, ['body']],
    [{ quantity: 0 }, ['quantity']],
    [{ quantity: -1 }, ['quantity']],
    [{ quantity: 2.5 }, ['quantity']],
    [{ dueDate: '2031-02-30' }, ['dueDate']],
    [{ unitPrice: { amount: '1', currency: 'USD' } }, ['unitPrice.currency']],
    [{ unitPrice: { amount: '1.00001', currency: 'EUR' } }, ['unitPrice.amount']],
    [{ fee: eur('1') }, ['fee']],
    [{ cancel: true, quantity: 8 }, ['quantity']],
    [{ cancel: false, quantity: 8 }, ['cancel']],
    [{ quantity: 8, reason: '' }, ['reason']],
  ])('%p is 400 and names %p', async (body, named) => {
    const answer = await bought.create(await place({ state: 'CONFIRMED' }), body)
    expect([answer.status, fields(answer)]).toEqual([400, named])
  })

  test('a fee above the value of what is cancelled is 409, when it is proposed and when it is accepted', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const high = await bought.create(id, { cancel: true, fee: eur('2204.91') })
    expect([high.status, fields(high)]).toEqual([409, ['fee']])
    const { body } = await bought.create(id, { cancel: true, fee: eur('2204.90') })
    await sent.create(id, { quantity: 9 })
    const late = await made.act(id, body.id, 'accept')
    // One piece of 95.50 is left.
    expect([late.status, late.body.errors]).toEqual([
      409,
      [{ field: 'fee', message: 'must be at most 95.50, the value of what is cancelled' }],
    ])
  })

  test('a day that has passed is 409', async () => {
    const answer = await made.create(await place({ state: 'CONFIRMED' }), { dueDate: '2020-01-01' })
    expect([answer.status, fields(answer)]).toEqual([409, ['dueDate']])
  })

  test('each side has one PROPOSED request', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const first = await bought.create(id, { quantity: 8 })
    const second = await bought.create(id, { quantity: 7 })
    expect([second.status, second.body.code]).toEqual([409, 'conflict'])
    expect((await made.create(id, { dueDate: '2031-07-01' })).status).toBe(201)
    await bought.act(id, first.body.id, 'withdraw')
    expect((await bought.create(id, { quantity: 7 })).status).toBe(201)
  })

  test('each side proposes at most 100 changes of an order, whatever the other side does', async () => {
    const id = await place({ state: 'CONFIRMED' })
    await owner`
      insert into sourcing.change_requests (id, order_id, side, org_id, decider_org_id, state, quantity, currency, previous,
        reason, created_at, decided_at)
      select ${id} || n, ${id}, 'CONSUMER', ${consumer.orgId}, ${maker.orgId}, 'WITHDRAWN', 8, 'EUR', '{}', 'x', now(), now()
      from generate_series(1, 100) n`
    const answer = await bought.create(id, { quantity: 8 })
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
    expect((await made.create(id, { quantity: 8 })).status).toBe(201)
  })

  test('is open in PLACED to INSPECTION and ON_HOLD, to consumer and manufacturer alone', async () => {
    const callers = { consumer, manufacturer: maker, ipOwner, seller, distributor, stranger }
    const open = ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD']
    for (const [name, { administrator }] of Object.entries(callers)) {
      const statuses = await Promise.all(
        ORDER_STATES.map(async (state) => {
          const id = await place({ state, heldState: state === 'ON_HOLD' ? 'INSPECTION' : null })
          return (await changesOf(administrator.client).create(id, { quantity: 8 })).status
        }),
      )
      const isSide = name === 'consumer' || name === 'manufacturer'
      const expected = ORDER_STATES.map((state) => (open.includes(state) ? 201 : 409))
      expect([name, statuses]).toEqual([name, isSide ? expected : expected.map(() => 404)])
    }
  })

  test('needs rfq:award of the consumer, order:confirm of the manufacturer', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const buyer = changesOf((await consumer.member(['order:confirm'])).client)
    const refused = await buyer.create(id, { quantity: 8 })
    expect([refused.status, refused.body.detail]).toEqual([403, 'This needs the permission rfq:award.'])
    const worker = changesOf((await maker.member(['order:update'])).client)
    expect((await worker.create(id, { quantity: 8 })).status).toBe(403)
    for (const [org, needed] of [
      [consumer, 'rfq:award'],
      [maker, 'order:confirm'],
    ] as const) {
      expect((await changesOf((await org.member([needed])).client).create(id, { quantity: 8 })).status).toBe(201)
    }
  })
})

test('in an order whose consumer is its manufacturer, each side is decided with the permission of the other', async () => {
  const own = await market.organization(['CONSUMER', 'MANUFACTURER'])
  const id = await place({ state: 'CONFIRMED', consumerOrgId: own.orgId, manufacturerOrgId: own.orgId })
  const buyer = changesOf((await own.member(['rfq:award'])).client)
  const maker = changesOf((await own.member(['order:confirm'])).client)
  const proposed = (await buyer.create(id, { quantity: 8 })).body
  const refused = await buyer.act(id, proposed.id, 'accept')
  expect([refused.status, refused.body.detail]).toEqual([403, 'This needs the permission order:confirm.'])
  expect((await maker.act(id, proposed.id, 'withdraw')).status).toBe(403)
  expect((await maker.act(id, proposed.id, 'accept')).status).toBe(200)
})

describe('GET /flows/v1/orders/{id}/change-requests', () => {
  test('is for consumer and manufacturer, newest first; other organizations of the order get 404', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const first = (await bought.create(id, { quantity: 8 })).body
    const second = (await made.create(id, { dueDate: '2031-07-01' })).body
    for (const list of [bought.list, made.list]) expect((await list(id)).body.items).toEqual([second, first])
    for (const { administrator } of [ipOwner, seller, distributor, stranger]) {
      expect((await changesOf(administrator.client).list(id)).status).toBe(404)
    }
  })
})

describe('a decision', () => {
  test('accept changes quantity, day and price of the order and its total, and withdraws the other request', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const mine = (await bought.create(id, { quantity: 8, dueDate: '2031-06-24', unitPrice: eur('99.25') })).body
    const theirs = (await made.create(id, { dueDate: '2031-07-01' })).body
    const { status, body } = await made.act(id, mine.id, 'accept')
    expect([status, body.state]).toEqual([200, 'ACCEPTED'])
    const order = await read(id)
    expect(isOrder.Check(order)).toBe(true)
    // 8 × 99.25 + 1200 + 49.90
    expect([order.state, order.quantity, order.dueDate, order.unitPrice.amount, order.total.amount]).toEqual([
      'CONFIRMED',
      8,
      '2031-06-24',
      '99.25',
      '2043.90',
    ])
    expect((await made.list(id)).body.items.map((item) => [item.id, item.state])).toEqual([
      [theirs.id, 'WITHDRAWN'],
      [mine.id, 'ACCEPTED'],
    ])
    const history = (await ordersOf(consumer.administrator.client).history(id)).body.items[0]
    expect(history?.changes.map(({ field, before, after }) => [field, before, after])).toEqual([
      ['quantity', 10, 8],
      ['unitPrice', eur('95.50'), eur('99.25')],
      ['total', eur('2204.90'), eur('2043.90')],
      ['dueDate', '2031-05-29', '2031-06-24'],
    ])
  })

  test('accept of a new day replaces the later one that the manufacturer had announced', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const assignmentId = await assignmentOf(owner, id)
    await maker.administrator.client.post(`/flows/v1/assignments/${assignmentId}/extensions`, {
      dueDate: '2031-08-01',
      reason: 'Late powder.',
    })
    expect((await read(id)).expectedDate).toBe('2031-08-01')
    const { body } = await made.create(id, { dueDate: '2031-07-15' })
    await bought.act(id, body.id, 'accept')
    const order = await read(id)
    expect([order.dueDate, order.expectedDate]).toEqual(['2031-07-15', undefined])
    const [assignment] = await owner<{ day: string }[]>`
      select due_date::text as day from sourcing.assignments where id = ${assignmentId}`
    expect(assignment?.day).toBe('2031-07-15')
  })

  test.each(['accept', 'decline'] as const)("%s is the other side's alone, once", async (verb) => {
    const id = await place({ state: 'CONFIRMED' })
    const { body } = await bought.create(id, { quantity: 8 })
    for (const { administrator } of [consumer, ipOwner, seller, distributor, stranger]) {
      expect((await changesOf(administrator.client).act(id, body.id, verb)).status).toBe(404)
    }
    expect((await made.act(id, body.id, verb)).status).toBe(200)
    for (const again of ['accept', 'decline'] as const) {
      expect((await made.act(id, body.id, again)).status).toBe(409)
    }
    expect((await bought.act(id, body.id, 'withdraw')).status).toBe(409)
    expect((await read(id)).quantity).toBe(verb === 'accept' ? 8 : 10)
  })

  test('decline keeps the order and tells its reason; withdraw is of the proposing side', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const first = (await bought.create(id, { quantity: 8 })).body
    const declined = await made.act(id, first.id, 'decline', { reason: 'The material is cut already.' })
    expect(declined.body).toMatchObject({ state: 'DECLINED', decisionReason: 'The material is cut already.' })
    const second = (await bought.create(id, { quantity: 9 })).body
    expect((await made.act(id, second.id, 'withdraw')).status).toBe(404)
    expect((await bought.act(id, second.id, 'withdraw')).body.state).toBe('WITHDRAWN')
    expect((await read(id)).quantity).toBe(10)
  })

  test('a request of another order is 404', async () => {
    const [id, other] = [await place({ state: 'CONFIRMED' }), await place({ state: 'CONFIRMED' })]
    const { body } = await bought.create(other, { quantity: 8 })
    expect((await made.act(id, body.id, 'accept')).status).toBe(404)
    expect((await made.act(id, 'change_unknown', 'accept')).status).toBe(404)
  })
})

test('a proposal is announced to both sides alone, an accepted change to every organization of the order', async () => {
  const id = await place({ state: 'CONFIRMED' })
  const assignmentId = await assignmentOf(owner, id)
  const told = async (event: string) =>
    (await eventsOf(owner, assignmentId))
      .filter(({ type, data }) => type === 'assignments.updated' && data.cause?.event === `sourcing.order.${event}`)
      .map(({ tenantId }) => tenantId)
      .toSorted()
  const both = [consumer.orgId, maker.orgId].toSorted()
  const { body } = await bought.create(id, { quantity: 8 })
  expect(await told('changeProposed')).toEqual(both)
  await made.act(id, body.id, 'decline')
  expect(await told('changeDeclined')).toEqual(both)
  const second = await bought.create(id, { quantity: 9 })
  await made.act(id, second.body.id, 'accept')
  expect(await told('changed')).toEqual(
    [consumer, ipOwner, maker, seller, distributor].map(({ orgId }) => orgId).toSorted(),
  )
})
