import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ASSIGNMENT_EVENTS } from '../../../proto/events/assignments.ts'
import { assignmentOf, assignmentsOf, eventsOf } from '../../testing/assignments.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const trade = await orderParties(market)
const PARTIES = 5

/** What the consumer is notified about an assignment, in order. */
const toldTo = async (orgId: string, id: string) =>
  (await eventsOf(owner, id)).filter(({ tenantId }) => tenantId === orgId)

describe('the whole life of an order', () => {
  test('every step tells each organization once, in order, with the status and the step as cause', async () => {
    const { consumer, ipOwner, maker, seller, distributor, open, offer, ordersOfRfq } = await awardParties(market)
    const rfqId = await open()
    const { award } = awardsOf(consumer.administrator.client)
    const awards = [{ offerId: await offer(rfqId, maker), quantity: 10 }]
    expect((await award(rfqId, { awards, sellerOrgId: seller.orgId })).status).toBe(200)
    const [order] = await ordersOfRfq(rfqId)
    const orderId = order?.id as string
    const id = await assignmentOf(owner, orderId)

    const milestones = [{ name: 'First article inspection' }]
    const reason = { reason: 'Two bores are out of tolerance.' }
    const steps = [
      [maker, 'confirm', undefined, 'CONFIRMED', 'confirmed'],
      [maker, 'milestones', { milestones }, 'CONFIRMED', 'milestonesChanged'],
      [maker, 'start', undefined, 'IN_PRODUCTION', 'started'],
      [maker, 'hold', reason, 'ON_HOLD', 'held'],
      [maker, 'resume', undefined, 'IN_PRODUCTION', 'resumed'],
      [maker, 'inspect', undefined, 'INSPECTION', 'inspected'],
      [maker, 'rework', reason, 'IN_PRODUCTION', 'reworked'],
      [maker, 'inspect', undefined, 'INSPECTION', 'inspected'],
      [maker, 'ship', undefined, 'SHIPPED', 'shipped'],
      [seller, 'deliver', undefined, 'DELIVERED', 'delivered'],
      [consumer, 'complete', undefined, 'COMPLETED', 'completed'],
    ] as const
    for (const [by, verb, body, status] of steps) {
      const moved = await ordersOf(by.administrator.client).act(orderId, verb, body)
      expect([verb, moved.status]).toEqual([verb, 200])
      const { body: assignment } = await assignmentsOf(consumer.administrator.client).read(id)
      expect([verb, assignment.status, assignment.updatedTime]).toEqual([verb, status, moved.body.updatedTime])
    }

    const expected = [
      ['assignments.created', 'PLACED', 'sourcing.order.placed'],
      ...steps.map(([, verb, , status, name]) => [
        verb === 'milestones' ? 'assignments.updated' : 'assignments.status.updated',
        status,
        `sourcing.order.${name}`,
      ]),
    ]
    for (const { orgId } of [consumer, ipOwner, maker, seller, distributor]) {
      const told = await toldTo(orgId, id)
      expect(told.map(({ type, data }) => [type, data.assignment.status, data.cause?.event])).toEqual(expected)
      expect(told.map(({ data }) => data.cause?.id)).toEqual(told.map(() => orderId))
      for (const { type, data } of told) {
        const schema = ASSIGNMENT_EVENTS[type as keyof typeof ASSIGNMENT_EVENTS]
        expect([type, TypeCompiler.Compile(schema).Check(data)]).toEqual([type, true])
      }
    }
    const all = await eventsOf(owner, id)
    expect(all).toHaveLength(PARTIES * expected.length)
    expect(new Set(all.map((event) => event.id)).size).toBe(all.length)
    const lines = JSON.stringify(all)
    for (const text of ['95.5', '1200', '49.9', 'EUR', 'First article', 'tolerance']) expect(lines).not.toContain(text)
  })
})

describe('a step of an order', () => {
  const made = ordersOf(trade.maker.administrator.client)
  const bought = ordersOf(trade.consumer.administrator.client)
  const reason = { reason: 'Not this month.' }

  test.each([
    ['decline', 'DECLINED', 'declined', made],
    ['cancel', 'CANCELLED', 'cancelled', bought],
  ] as const)('%s sets the status %s', async (verb, status, name, client) => {
    const orderId = await trade.place()
    const id = await assignmentOf(owner, orderId)
    expect((await client.act(orderId, verb, reason)).status).toBe(200)
    const told = await toldTo(trade.ipOwner.orgId, id)
    expect(told.map(({ type, data }) => [type, data.assignment.status, data.cause])).toEqual([
      ['assignments.status.updated', status, { event: `sourcing.order.${name}`, id: orderId }],
    ])
    const { list } = assignmentsOf(trade.seller.administrator.client)
    expect((await list(`?status=${status}&orderId=${orderId}`)).body.items.map((each) => each.id)).toEqual([id])
    expect((await list(`?status=PLACED&orderId=${orderId}`)).body.items).toEqual([])
  })

  test('a remake that is accepted in production notifies each organization, although the status stays', async () => {
    const orderId = await trade.place({ state: 'IN_PRODUCTION' })
    await owner`
      update sourcing.orders set proposed_remake_quantity = 1, remake_proposed_at = now(), shipped_quantity = 2,
        rejected_quantity = 2
      where id = ${orderId}`
    const id = await assignmentOf(owner, orderId)
    const { status, body } = await bought.act(orderId, 'accept-remake')
    expect([status, body.state]).toEqual([200, 'IN_PRODUCTION'])
    const cause = { event: 'sourcing.order.remakeAccepted', id: orderId }
    for (const { orgId } of [trade.consumer, trade.maker, trade.ipOwner]) {
      const told = await toldTo(orgId, id)
      expect(
        told.map(({ type, data }) => [type, data.assignment.status, data.assignment.updatedTime, data.cause]),
      ).toEqual([['assignments.updated', 'IN_PRODUCTION', body.updatedTime, cause]])
    }
  })

  test('that is refused, and milestones without a change, tell nothing', async () => {
    const orderId = await trade.place({ state: 'CONFIRMED' })
    const id = await assignmentOf(owner, orderId)
    expect((await made.act(orderId, 'ship')).status).toBe(409)
    expect((await made.act(orderId, 'milestones', { milestones: [] })).status).toBe(200)
    expect(await eventsOf(owner, id)).toEqual([])
  })

  test('tells an organization with several roles of the order once', async () => {
    const { orgId } = trade.maker
    const orderId = await trade.place({
      sellerOrgId: orgId,
      distributorOrgId: null,
      ipOwnerOrgId: trade.consumer.orgId,
    })
    expect((await made.act(orderId, 'confirm')).status).toBe(200)
    const events = await eventsOf(owner, await assignmentOf(owner, orderId))
    expect(events.map(({ tenantId }) => tenantId)).toEqual([trade.consumer.orgId, orgId])
  })
})

test('operations of /v1 on orders emit nothing about assignments', async () => {
  const orderId = await trade.place()
  const count = () => owner`select from sourcing.outbox where type like 'assignments.%'`.then(({ length }) => length)
  const before = await count()
  const client = ordersOf(trade.consumer.administrator.client)
  expect((await client.read(orderId)).status).toBe(200)
  expect((await client.list()).status).toBe(200)
  expect((await client.history(orderId)).status).toBe(200)
  expect(await count()).toBe(before)
})
