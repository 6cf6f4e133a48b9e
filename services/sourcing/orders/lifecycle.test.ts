import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Order } from '../../../proto/http/sourcing/orders.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const [made, bought, sold] = [maker, consumer, seller].map(({ administrator }) => ordersOf(administrator.client)) as [
  ReturnType<typeof ordersOf>,
  ReturnType<typeof ordersOf>,
  ReturnType<typeof ordersOf>,
]
const isOrder = TypeCompiler.Compile(Order)
const reason = { reason: 'Not this month.' }

describe('an order from its confirmation to its completion', () => {
  test('confirm, start, inspect, rework, inspect, ship, deliver and complete', async () => {
    const id = await place()
    const steps = [
      [made, 'confirm', undefined, 'CONFIRMED'],
      [made, 'start', undefined, 'IN_PRODUCTION'],
      [made, 'inspect', undefined, 'INSPECTION'],
      [made, 'rework', reason, 'IN_PRODUCTION'],
      [made, 'inspect', undefined, 'INSPECTION'],
      [made, 'ship', { carrier: 'Nordic Freight', trackingNumber: 'NF-1' }, 'SHIPPED'],
      [sold, 'deliver', undefined, 'DELIVERED'],
      [bought, 'complete', undefined, 'COMPLETED'],
    ] as const
    for (const [by, verb, body, state] of steps) {
      const answer = await by.act(id, verb, body)
      expect([verb, answer.status, answer.body.state]).toEqual([verb, 200, state])
      expect(isOrder.Check(answer.body)).toBe(true)
    }
    expect((await bought.read(id)).body).toMatchObject({ carrier: 'Nordic Freight', trackingNumber: 'NF-1' })
  })

  test('the role Buyer records the delivery and accepts the goods', async () => {
    const buyer = ordersOf((await consumer.member('Buyer')).client)
    const id = await place({ state: 'SHIPPED' })
    for (const [verb, state] of [
      ['deliver', 'DELIVERED'],
      ['complete', 'COMPLETED'],
    ] as const) {
      const { status, body } = await buyer.act(id, verb)
      expect([verb, status, body.state]).toEqual([verb, 200, state])
    }
  })

  test('ship needs no body', async () => {
    const { status, body } = await made.act(await place({ state: 'INSPECTION' }), 'ship')
    expect([status, body.state, body.carrier]).toEqual([200, 'SHIPPED', undefined])
  })

  test('decline by the manufacturer and cancel by the consumer end a placed order, with the reason', async () => {
    expect((await made.act(await place(), 'decline', reason)).body).toMatchObject({ state: 'DECLINED', ...reason })
    expect((await bought.act(await place(), 'cancel', reason)).body).toMatchObject({ state: 'CANCELLED', ...reason })
    const confirmed = await place({ state: 'CONFIRMED' })
    expect((await bought.act(confirmed, 'cancel', reason)).body.state).toBe('CANCELLED')
  })

  test.each(['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION'] as const)(
    'hold of an order that is %s keeps the state, and resume returns to it and clears the reason',
    async (state) => {
      const id = await place({ state })
      expect((await made.act(id, 'hold', reason)).body).toMatchObject({ state: 'ON_HOLD', ...reason })
      expect((await made.act(id, 'hold', reason)).status).toBe(409)
      const { body } = await made.act(id, 'resume')
      expect([body.state, body.reason]).toEqual([state, undefined])
      expect((await made.act(id, 'resume')).status).toBe(409)
    },
  )
})

describe('milestones', () => {
  const first = { name: 'First article', plannedTime: '2031-05-20T14:00:00+02:00' }
  const stored = { name: 'First article', plannedTime: '2031-05-20T12:00:00.000Z' }

  test('replace the list in its order, with times in UTC; the consumer sees them', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const done = { name: 'Powder arrived', completedTime: '2031-05-01T08:00:00Z' }
    const answer = await made.act(id, 'milestones', { milestones: [first, done] })
    expect([answer.status, answer.body.state]).toEqual([200, 'CONFIRMED'])
    const listed = [stored, { ...done, completedTime: '2031-05-01T08:00:00.000Z' }]
    expect((await bought.read(id)).body.milestones).toEqual(listed)
    expect((await made.act(id, 'milestones', { milestones: [] })).body.milestones).toEqual([])
  })

  test('that are equal to the present ones change nothing', async () => {
    const id = await place({ state: 'SHIPPED' })
    const changed = await made.act(id, 'milestones', { milestones: [first] })
    expect((await made.act(id, 'milestones', { milestones: [stored] })).text).toBe(changed.text)
    expect((await bought.history(id)).body.items).toHaveLength(2)
  })

  test('that are planned after the due date are the expected day, in lists too, until they are completed or the goods have arrived', async () => {
    const id = await place({ state: 'IN_PRODUCTION' })
    const late = { name: 'Second powder batch', plannedTime: '2031-06-12T12:00:00Z' }
    const set = async (...milestones: object[]) => {
      const { body } = await made.act(id, 'milestones', { milestones })
      expect(isOrder.Check(body)).toBe(true)
      return [body.dueDate, body.expectedDate]
    }
    expect(await set(first)).toEqual(['2031-05-29', undefined])
    expect(await set({ name: 'On the day', plannedTime: '2031-05-29T23:59:59Z' })).toEqual(['2031-05-29', undefined])
    expect(await set(first, late)).toEqual(['2031-05-29', '2031-06-12'])
    const listed = (await bought.list()).body.items.find((order) => order.id === id)
    expect(listed?.expectedDate).toBe('2031-06-12')
    // The milestone is what the history records.
    const { items } = (await bought.history(id)).body
    expect(items[0]?.changes.map(({ field }) => field)).toEqual(['milestones'])
    expect(await set({ ...late, completedTime: '2031-06-01T12:00:00Z' })).toEqual(['2031-05-29', undefined])
    await set(late)
    await made.act(id, 'inspect')
    expect((await made.act(id, 'ship')).body.expectedDate).toBe('2031-06-12')
    expect((await sold.act(id, 'deliver')).body.expectedDate).toBeUndefined()
  })

  test('with If-Match are 412 once the order has changed, and nothing is replaced', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const { headers } = await made.read(id)
    const unchanged = { 'if-match': headers.get('etag') ?? '' }
    const set = (name: string, ifMatch: Record<string, string>) =>
      maker.administrator.client.post<Order>(`/flows/v1/orders/${id}/milestones`, { milestones: [{ name }] }, ifMatch)
    const first = await set('First', unchanged)
    expect([first.status, first.body.milestones]).toEqual([200, [{ name: 'First' }]])
    expect((await set('Second', unchanged)).status).toBe(412)
    expect((await made.read(id)).body.milestones).toEqual([{ name: 'First' }])
    expect((await set('Second', { 'if-match': first.headers.get('etag') ?? '' })).status).toBe(200)
  })

  test('keep the reason of a hold', async () => {
    const id = await place({ state: 'CONFIRMED' })
    await made.act(id, 'hold', reason)
    expect((await made.act(id, 'milestones', { milestones: [first] })).body).toMatchObject(reason)
  })

  test.each([
    [{}],
    [{ milestones: null }],
    [{ milestones: [{}] }],
    [{ milestones: [{ name: ' ' }] }],
    [{ milestones: [{ name: 'a', plannedTime: 'tomorrow' }] }],
    [{ milestones: [{ name: 'a', plannedTime: '9999-12-31T23:59:59-12:00' }] }],
    [{ milestones: [{ name: 'a', completedTime: null }] }],
    [{ milestones: Array.from({ length: 51 }, () => ({ name: 'a' })) }],
  ])('%p is 400', async (body) => {
    expect((await made.act(await place({ state: 'CONFIRMED' }), 'milestones', body)).status).toBe(400)
  })
})

describe('refusals', () => {
  test.each(['decline', 'rework', 'hold', 'cancel'])(
    '%s without a reason, or with a blank one, is 400',
    async (verb) => {
      const id = await place()
      const by = verb === 'cancel' ? bought : made
      for (const body of [undefined, {}, { reason: ' ' }, { reason: null }, { reason: 'a\nb' }]) {
        expect([body, (await by.act(id, verb, body)).status]).toEqual([body, 400])
      }
    },
  )

  test('a step of another party is 404 for organizations that read the order, and for others', async () => {
    const id = await place()
    for (const org of [consumer, ipOwner, seller, distributor, stranger]) {
      expect((await ordersOf(org.administrator.client).act(id, 'confirm')).status).toBe(404)
    }
    for (const org of [maker, ipOwner, seller, distributor, stranger]) {
      expect((await ordersOf(org.administrator.client).act(id, 'cancel', reason)).status).toBe(404)
    }
    const shipped = await place({ state: 'SHIPPED' })
    for (const org of [ipOwner, distributor, stranger]) {
      expect((await ordersOf(org.administrator.client).act(shipped, 'deliver')).status).toBe(404)
    }
    expect((await made.read(id)).body.state).toBe('PLACED')
  })

  test('a user without the permission of the step gets 403, whatever the order', async () => {
    const id = await place()
    const cases = [
      [maker, ['order:update', 'order:cancel'], 'confirm', undefined],
      [maker, ['order:update', 'order:cancel'], 'decline', reason],
      [maker, ['order:confirm', 'order:cancel'], 'start', undefined],
      [seller, ['order:confirm', 'order:cancel'], 'deliver', undefined],
      [consumer, ['order:confirm', 'order:cancel'], 'complete', undefined],
      [consumer, ['order:confirm', 'order:update'], 'cancel', reason],
    ] as const
    for (const [org, permissions, verb, body] of cases) {
      const member = ordersOf((await org.member([...permissions])).client)
      for (const each of [id, 'order_unknown']) expect((await member.act(each, verb, body)).status).toBe(403)
    }
  })

  test('a step that the state does not allow is 409 with the state', async () => {
    const { status, body } = await made.act(await place(), 'ship')
    expect([status, body.code, body.detail]).toEqual([
      409,
      'illegal_transition',
      'The order is PLACED, not INSPECTION.',
    ])
  })
})

describe('concurrent requests', () => {
  test('of equal ones one succeeds and the others are 409', async () => {
    const id = await place()
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => made.act(id, 'confirm')))).map((a) => a.status)
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    expect((await bought.history(id)).body.items).toHaveLength(2)
  })

  test('decline and cancel end in the state of the one that succeeded', async () => {
    for (let round = 0; round < 6; round++) {
      const id = await place()
      const [declined, cancelled] = await Promise.all([
        made.act(id, 'decline', reason),
        bought.act(id, 'cancel', reason),
      ])
      const state = declined.status === 200 ? 'DECLINED' : 'CANCELLED'
      expect([declined.status, cancelled.status].sort()).toEqual([200, 409])
      expect((await bought.read(id)).body.state).toBe(state)
    }
  })
})

test('each step writes one audit entry of its user, one event with the parties and one entry of history', async () => {
  const id = await place()
  const member = await maker.member('Manufacturer')
  const mine = ordersOf(member.client)
  await mine.act(id, 'confirm')
  await mine.act(id, 'milestones', { milestones: [{ name: 'Start' }] })
  await mine.act(id, 'hold', reason)
  await mine.act(id, 'ship')
  const entries = await market.db.owner<{ procedure: string; success: boolean; request: { id: string } }[]>`
    select procedure, success, request from organization.audit_log
    where actor_id = ${member.userId} and procedure like 'order.%' order by timestamp, id`
  expect(entries.map(({ procedure, success }) => [procedure, success])).toEqual([
    ['order.confirm', true],
    ['order.milestones', true],
    ['order.hold', true],
    ['order.ship', false],
  ])
  expect(entries[2]?.request).toEqual({ id, ...reason })
  const events = await market.db.owner<{ type: string; data: Record<string, string> }[]>`
    select type, data::jsonb as data from sourcing.outbox where subject = ${id} order by seq`
  expect(events.map(({ type }) => type)).toEqual([
    'sourcing.order.confirmed',
    'sourcing.order.milestonesChanged',
    'sourcing.order.held',
  ])
  expect(events[0]?.data).toMatchObject({
    orderId: id,
    consumerOrgId: consumer.orgId,
    distributorOrgId: distributor.orgId,
  })
  expect((await mine.history(id)).body.items.map(({ kind }) => kind)).toEqual(['UPDATE', 'UPDATE', 'UPDATE', 'CREATE'])
})
