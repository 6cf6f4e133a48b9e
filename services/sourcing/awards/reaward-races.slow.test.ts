import { expect, setDefaultTimeout, test } from 'bun:test'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { offersOf } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { reawardParties } from '../../testing/reawards.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

setDefaultTimeout(120_000)
const market = await marketplaceOf(['sourcing'], RACING)
const { maker, rival, open, offer, ordersOfRfq, buyer, award, reaward, shared } = await reawardParties(market)
const ROUNDS = 10
const [made, bought] = [ordersOf(maker.administrator.client), ordersOf(buyer)]
const reason = { reason: 'The machine is broken.' }

test('a reaward beside the decline of another order places at most what is missing', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { rfqId, second, orderId, otherId } = await shared()
    await made.act(orderId, 'decline', reason)
    const [placed, declined] = await Promise.all([
      reaward(rfqId, second, 10),
      ordersOf(rival.administrator.client).act(otherId, 'decline', reason),
    ])
    expect(declined.status).toBe(200)
    const living = (await ordersOfRfq(rfqId)).filter(({ state }) => state !== 'DECLINED')
    const { state, missingQuantity } = (await rfqsOf(buyer).read(rfqId)).body
    // The decline first: nothing lives, so the RFQ is CLOSED and is awarded again.
    const expected = placed.status === 200 ? [1, 'AWARDED', 10] : [0, 'CLOSED', undefined]
    expect<unknown>([living.length, state, missingQuantity]).toEqual(expected)
  }
})

test('of two reawards of the same missing pieces one succeeds', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { rfqId, second, orderId } = await shared()
    await made.act(orderId, 'decline', reason)
    const answers = await Promise.all([reaward(rfqId, second, 10), reaward(rfqId, second, 10)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await rfqsOf(buyer).read(rfqId)).body.missingQuantity).toBeUndefined()
  }
})

test('of the confirmation and the cancellation of an order, and its reaward, the pieces are placed once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { rfqId, second, orderId } = await shared()
    const [, cancelled, placed] = await Promise.all([
      made.act(orderId, 'confirm'),
      bought.act(orderId, 'cancel', reason),
      reaward(rfqId, second, 10),
    ])
    // An order that is confirmed can still be cancelled.
    expect(cancelled.status).toBe(200)
    const again = placed.status === 200 ? placed : await reaward(rfqId, second, 10)
    expect(again.status).toBe(200)
    const living = (await ordersOfRfq(rfqId)).filter(({ state }) => state !== 'CANCELLED')
    expect(living.map(({ quantity }) => quantity)).toEqual([10, 10])
  }
})

test('a reinstatement beside a withdrawal or a reaward of the offer leaves one outcome', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const rfqId = await open()
    const [first, second, lost] = [await offer(rfqId, maker), await offer(rfqId, rival), await offer(rfqId, rival)]
    const awards = [first, second].map((offerId) => ({ offerId, quantity: 10 }))
    await award(rfqId, { awards })
    const [order] = await ordersOfRfq(rfqId)
    await made.act(order?.id as string, 'decline', reason)
    const offers = offersOf(rival.administrator.client)
    const [reinstated, , placed] = await Promise.all([
      offers.act(lost, 'reinstate'),
      offers.act(lost, 'withdraw'),
      reaward(rfqId, lost, 10),
    ])
    expect(reinstated.status).toBe(200)
    const { state } = (await offers.read(lost)).body
    expect(state === 'ACCEPTED').toBe(placed.status === 200)
    expect((await ordersOfRfq(rfqId)).filter(({ offerId }) => offerId === lost)).toHaveLength(
      state === 'ACCEPTED' ? 1 : 0,
    )
  }
})
