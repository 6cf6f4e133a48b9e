import { expect, setDefaultTimeout, test } from 'bun:test'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { ordersOf } from '../../testing/orders.ts'
import { recordedMarketplace } from '../../testing/statement-log.ts'

setDefaultTimeout(60_000)
const { market, statements } = await recordedMarketplace()
const { consumer, maker, rival, open, offer, ordersOfRfq } = await awardParties(market)

/** The statements of a request that write assignments, and those that store events. */
async function writesOf(send: () => Promise<{ status: number }>) {
  statements.take()
  expect((await send()).status).toBe(200)
  const taken = statements.take()
  return {
    assignments: taken.filter((text) => /(insert into|update) sourcing\.assignments\b/.test(text)).length,
    events: taken.filter((text) => /insert into \S*outbox\b/.test(text)).length,
  }
}

test('an award writes all its assignments with one statement and their events with one, however many orders it has', async () => {
  const award = async (count: number) => {
    const rfqId = await open()
    const offers = await Promise.all(Array.from({ length: count }, (_, n) => offer(rfqId, n % 2 === 0 ? maker : rival)))
    const awards = offers.map((offerId) => ({ offerId, quantity: 1 }))
    return writesOf(() => awardsOf(consumer.administrator.client).award(rfqId, { awards }))
  }
  const [one, six] = [await award(1), await award(6)]
  expect([one.assignments, six.assignments]).toEqual([1, 1])
  // Each further order adds its own event, and none for its assignment.
  expect(six.events - one.events).toBe(5)
})

test('a step of an order writes its assignment with one statement and the events of all organizations with one', async () => {
  const rfqId = await open()
  await awardsOf(consumer.administrator.client).accept(await offer(rfqId, maker), { quantity: 1 })
  const [order] = await ordersOfRfq(rfqId)
  const confirm = () => ordersOf(maker.administrator.client).act(order?.id as string, 'confirm')
  expect(await writesOf(confirm)).toEqual({ assignments: 1, events: 2 })
})
