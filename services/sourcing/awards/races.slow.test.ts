import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { type SourcingProcess, startSourcing } from '../../testing/files/process.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { ordersOf } from '../../testing/orders.ts'
import { until } from '../../testing/until.ts'

setDefaultTimeout(180_000)
const market = await marketplaceWithWorkers(['sourcing'], RACING)
const { consumer, maker, rival, open, offer, ordersOfRfq } = await awardParties(market)
const sql = market.db.owner

const replicas: SourcingProcess[] = []
afterAll(() => Promise.all(replicas.map((replica) => replica.kill())))

async function replica(): Promise<SourcingProcess> {
  const started = await startSourcing(market)
  replicas.push(started)
  return started
}

/** The states of an RFQ and of its offers, and its orders. */
async function outcomeOf(rfqId: string) {
  const [rfq] = await sql<{ state: string; awarded: string[] }[]>`
    select state, awarded_offer_ids as awarded from sourcing.rfqs where id = ${rfqId}`
  const offers = await sql<{ id: string; state: string }[]>`
    select id, state from sourcing.offers where rfq_id = ${rfqId} order by id`
  const orders = await ordersOfRfq(rfqId)
  const events = await sql<{ type: string }[]>`
    select type from sourcing.outbox
    where (subject = ${rfqId} or subject = any(${[...offers, ...orders].map(({ id }) => id)}))
      and type ~ '(rfq.awarded|offer.accepted|offer.rejected|order.placed)$'`
  return { state: rfq?.state, awarded: rfq?.awarded ?? [], offers, orders, events: events.length }
}

/** Either nothing happened, or the whole award: accepted offers, rejected others, an order and an event for each. */
async function expectWhole(rfqId: string, isAwarded: boolean): Promise<Order[]> {
  const { state, awarded, offers, orders, events } = await outcomeOf(rfqId)
  if (!isAwarded) {
    expect([state, awarded, orders, events]).toEqual(['OPEN', [], [], 0])
    expect(new Set(offers.map((each) => each.state))).toEqual(new Set(['SUBMITTED']))
    return orders
  }
  expect(state).toBe('AWARDED')
  expect(orders.map(({ offerId }) => offerId)).toEqual(awarded)
  for (const { id, state: ended } of offers) {
    expect([id, ended]).toEqual([id, awarded.includes(id) ? 'ACCEPTED' : 'REJECTED'])
  }
  expect(events).toBe(1 + offers.length + orders.length)
  return orders
}

test('of 50 awards and acceptances at the same time over two processes one succeeds, and its orders are the only ones', async () => {
  const clients = (await Promise.all([replica(), replica()])).map((each) =>
    awardsOf(each.clientOf(consumer.administrator.client)),
  )
  for (let round = 0; round < 3; round++) {
    const rfqId = await open()
    const offerIds = [await offer(rfqId, maker), await offer(rfqId, rival), await offer(rfqId, maker)]
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const client = clients[n % 2] as (typeof clients)[number]
        const offerId = offerIds[n % 3] as string
        const other = offerIds[(n + 1) % 3] as string
        const quantity = 1 + (n % 20)
        if (n % 5 === 0) return { ...(await client.accept(offerId, { quantity })), sent: [[offerId, quantity]] }
        const awards = [
          { offerId, quantity },
          { offerId: other, quantity },
        ]
        return { ...(await client.award(rfqId, { awards })), sent: awards.map((each) => [each.offerId, each.quantity]) }
      }),
    )
    const succeeded = answers.filter(({ status }) => status === 200)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 409)])
    const orders = await expectWhole(rfqId, true)
    expect<unknown>(orders.map(({ offerId, quantity }) => [offerId, quantity])).toEqual(succeeded[0]?.sent)
  }
})

test('of two processes that move an order at the same time one succeeds and the other gets 409', async () => {
  const [first, second] = (await Promise.all([replica(), replica()])).map((each) => ({
    made: ordersOf(each.clientOf(maker.administrator.client)),
    bought: ordersOf(each.clientOf(consumer.administrator.client)),
    award: awardsOf(each.clientOf(consumer.administrator.client)).accept,
  })) as [Clients, Clients]
  interface Clients {
    made: ReturnType<typeof ordersOf>
    bought: ReturnType<typeof ordersOf>
    award: ReturnType<typeof awardsOf>['accept']
  }
  const reason = { reason: 'Not needed.' }
  for (let round = 0; round < 10; round++) {
    const rfqId = await open()
    await first.award(await offer(rfqId, maker), { quantity: 1 })
    const { id } = (await ordersOfRfq(rfqId))[0] as Order
    const confirmed = await Promise.all([first.made.act(id, 'confirm'), second.made.act(id, 'confirm')])
    expect(confirmed.map(({ status }) => status).sort()).toEqual([200, 409])
    const [started, cancelled] = await Promise.all([
      first.made.act(id, 'start'),
      second.bought.act(id, 'cancel', reason),
    ])
    expect([started.status, cancelled.status].sort()).toEqual([200, 409])
    const expected = started.status === 200 ? 'IN_PRODUCTION' : 'CANCELLED'
    expect((await second.bought.read(id)).body.state).toBe(expected)
    expect((await first.made.history(id)).body.items).toHaveLength(3)
  }
})

test('a process that is killed after it has changed RFQ and offers leaves nothing, and another one can award', async () => {
  const killed = await replica()
  const rfqId = await open()
  const offerIds = [await offer(rfqId, maker), await offer(rfqId, rival)]
  const body = { awards: offerIds.map((offerId) => ({ offerId, quantity: 5 })) }
  const key = { 'idempotency-key': crypto.randomUUID() }
  let answer: Promise<unknown> | undefined
  await sql.begin(async (tx) => {
    // The lock stops the award at its first order: the changes of RFQ and offers are made and not committed.
    await tx`lock table sourcing.orders in exclusive mode`
    answer = awardsOf(killed.clientOf(consumer.administrator.client))
      .award(rfqId, body, key)
      .catch(() => undefined)
    await until(async () => (await waiting()).length === 1, { what: 'the award waiting for the table of orders' })
    await killed.kill()
  })
  expect(await answer).toBeUndefined()
  await until(async () => (await waiting()).length === 0, { what: 'the end of the connection of the killed process' })
  await expectWhole(rfqId, false)

  const other = await replica()
  const award = () => awardsOf(other.clientOf(consumer.administrator.client)).award(rfqId, body, key)
  const done = await award()
  expect(done.status).toBe(200)
  expect(await expectWhole(rfqId, true)).toHaveLength(2)
  expect((await award()).text).toBe(done.text)
})

const waiting = () => sql`
  select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into sourcing.orders%'
    and pid <> pg_backend_pid()`

/** Transactions of the service that have written. */
const transactions = () => sql`
  select pid from pg_stat_activity
  where datname = current_database() and usename = 'marketplace_sourcing' and backend_xid is not null`

test('awards whose process is killed at any moment are whole or not there, and can be repeated with their keys', async () => {
  for (const committed of [1, 4, 8]) {
    const killed = await replica()
    const jobs = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const rfqId = await open()
        const offerIds = [await offer(rfqId, maker), await offer(rfqId, rival)]
        const body = { awards: offerIds.map((offerId) => ({ offerId, quantity: 5 })) }
        return { rfqId, body, key: { 'idempotency-key': crypto.randomUUID() } }
      }),
    )
    const sent = jobs.map(({ rfqId, body, key }) =>
      awardsOf(killed.clientOf(consumer.administrator.client))
        .award(rfqId, body, key)
        .then(
          ({ status }) => status,
          () => undefined,
        ),
    )
    const rfqIds = jobs.map(({ rfqId }) => rfqId)
    const awarded = () => sql`select id from sourcing.rfqs where id = any(${rfqIds}) and state = 'AWARDED'`
    await until(async () => (await awarded()).length >= committed, { what: 'some of the awards' })
    await killed.kill()
    const statuses = await Promise.all(sent)
    await until(async () => (await transactions()).length === 0, { what: 'the end of its transactions' })
    const survivor = awardsOf(consumer.administrator.client)
    for (const [index, { rfqId, body, key }] of jobs.entries()) {
      const isAwarded = (await outcomeOf(rfqId)).state === 'AWARDED'
      if (statuses[index] === 200) expect(isAwarded).toBe(true)
      await expectWhole(rfqId, isAwarded)
      expect((await survivor.award(rfqId, body, key)).status).toBe(200)
      expect(await expectWhole(rfqId, true)).toHaveLength(2)
    }
  }
})
