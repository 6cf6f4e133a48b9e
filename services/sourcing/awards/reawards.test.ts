import { describe, expect, test } from 'bun:test'
import { OFFER_STATES } from '../../../proto/states/offers.ts'
import { RFQ_STATES } from '../../../proto/states/rfqs.ts'
import { awardsOf } from '../../testing/awards.ts'
import { REAWARD_FROM, REINSTATE_FROM } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offersOf } from '../../testing/offers.ts'
import { reawardParties } from '../../testing/reawards.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const parties = await reawardParties(market)
const { consumer, ipOwner, maker, rival, stranger, open, offer, ordersOfRfq } = parties
const { buyer, reawardBy, reaward, reinstate, decline, stateOf, award, awarded, shared } = parties
const bought = rfqsOf(buyer)
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

describe('POST /flows/v1/rfqs/{id}/reaward', () => {
  test('places missing pieces with a reinstated offer, at its price for the quantity', async () => {
    const { rfqId, second, lost, orderId } = await shared()
    await decline(orderId)
    await reinstate(rival, lost)
    const answer = await reawardBy(buyer, rfqId, {
      awards: [{ offerId: lost, quantity: 10, purchaseOrderNumber: '4500119' }],
    })
    expect([answer.status, answer.body.state, answer.body.missingQuantity]).toEqual([200, 'AWARDED', undefined])
    expect(answer.body.awardedOfferIds).toEqual([second, lost])
    const [order] = answer.body.orders
    expect(order).toMatchObject({
      offerId: lost,
      quantity: 10,
      state: 'PLACED',
      purchaseOrderNumber: '4500119',
      unitPrice: { amount: '95.50', currency: 'EUR' },
    })
    expect(await stateOf(lost)).toBe('ACCEPTED')
  })

  test('places them with an offer of the award, which then has two orders', async () => {
    const { rfqId, second, lost, orderId } = await shared()
    await decline(orderId)
    await reinstate(rival, lost)
    const half = await reaward(rfqId, second, 4)
    expect([half.status, half.body.missingQuantity]).toEqual([200, 6])
    expect(await stateOf(lost)).toBe('SUBMITTED')
    expect((await reaward(rfqId, second, 6)).body.missingQuantity).toBeUndefined()
    // Nothing is missing now, so the other offers have lost again.
    expect(await stateOf(lost)).toBe('REJECTED')
    const orders = (await ordersOfRfq(rfqId)).filter(({ offerId }) => offerId === second)
    // The price break of ten pieces does not apply to four and six.
    expect(orders.map(({ quantity, unitPrice }) => [quantity, unitPrice.amount])).toEqual([
      [10, '95.50'],
      [4, '120.00'],
      [6, '120.00'],
    ])
  })

  test('the offer of two orders stays ACCEPTED while one of them lives', async () => {
    const { rfqId, second, orderId, otherId } = await shared()
    await decline(orderId)
    await reaward(rfqId, second, 10)
    await decline(otherId, rival)
    expect([await stateOf(second), (await bought.read(rfqId)).body.missingQuantity]).toEqual(['ACCEPTED', 10])
  })

  test('places at most what is missing, and nothing where nothing is', async () => {
    const { rfqId, second, orderId } = await shared()
    const nothing = await reaward(rfqId, second, 1)
    expect([nothing.status, nothing.body.errors?.[0]?.message]).toEqual([
      409,
      'must be at most 0 pieces together, those that are missing',
    ])
    await decline(orderId)
    const tooMany = await reaward(rfqId, second, 11)
    expect([tooMany.status, fields(tooMany)]).toEqual([409, ['awards']])
  })

  test('accepts no offer that was not reinstated, was lost with its order or is no longer valid', async () => {
    const { rfqId, first, second, lost, orderId } = await shared()
    await decline(orderId)
    for (const id of [first, lost]) {
      const answer = await reaward(rfqId, id, 5)
      expect([answer.status, answer.body.errors?.[0]?.message]).toEqual([409, 'is REJECTED, not SUBMITTED'])
    }
    await owner`update sourcing.offers set valid_until = now() - interval '1 second' where id = ${second}`
    const stale = await reaward(rfqId, second, 5)
    expect([stale.status, stale.body.errors?.[0]?.message]).toEqual([409, 'is no longer valid'])
  })

  test("is the consumer's alone, and needs rfq:award", async () => {
    const { rfqId, second, orderId } = await shared()
    await decline(orderId)
    const body = { awards: [{ offerId: second, quantity: 1 }] }
    for (const { administrator } of [ipOwner, maker, rival, stranger]) {
      expect((await reawardBy(administrator.client, rfqId, body)).status).toBe(404)
    }
    const member = await consumer.member(['rfq:create'])
    expect((await reawardBy(member.client, rfqId, body)).status).toBe(403)
  })
})

test('a reinstated offer for a sealed RFQ binds while pieces are missing', async () => {
  const rfqId = await open({ sealed: true })
  const [first, second, lost] = [await offer(rfqId, maker), await offer(rfqId, rival), await offer(rfqId, rival)]
  await bought.act(rfqId, 'close')
  await award(rfqId, { awards: [first, second].map((offerId) => ({ offerId, quantity: 10 })) })
  const [order] = await ordersOfRfq(rfqId)
  await decline(order?.id as string)
  await reinstate(rival, lost)
  const answer = await offersOf(rival.administrator.client).act(lost, 'withdraw')
  expect([answer.status, answer.body.detail]).toEqual([
    409,
    'The sealed RFQ has closed, so its offers are binding until their validity ends.',
  ])
  expect((await reaward(rfqId, lost, 10)).status).toBe(200)
})

test('reaward in every other state of the RFQ, and reinstate in every other state of the offer, are 409', async () => {
  for (const state of RFQ_STATES.filter((each) => !REAWARD_FROM.includes(each) && each !== 'DRAFT')) {
    const rfqId = await open()
    const offerId = await offer(rfqId, maker)
    await owner`
      update sourcing.rfqs set state = ${state}, missing_quantity = 10,
        cancel_reason = case when ${state} = 'CANCELLED' then 'Sold.' end where id = ${rfqId}`
    const answer = await reaward(rfqId, offerId, 1)
    expect([state, answer.status, answer.body.code]).toEqual([state, 409, 'illegal_transition'])
  }
  const { lost, orderId } = await awarded()
  await decline(orderId)
  for (const state of OFFER_STATES.filter((each) => !REINSTATE_FROM.includes(each))) {
    const submittedAt = state === 'DRAFT' ? null : new Date().toISOString()
    await owner`update sourcing.offers set state = ${state}, submitted_at = ${submittedAt} where id = ${lost}`
    const answer = await reinstate(rival, lost)
    expect([state, answer.status, answer.body.code]).toEqual([state, 409, 'illegal_transition'])
  }
})

test('a winner does not learn by its RFQ that the order of another one was declined and placed again', async () => {
  const { rfqId, second, orderId } = await shared()
  const seen = () => rfqsOf(rival.administrator.client).read(rfqId)
  const before = await seen()
  await decline(orderId)
  expect((await seen()).text).toBe(before.text)
  await reaward(rfqId, second, 4)
  expect((await seen()).text).toBe(before.text)
})

describe('an RFQ has at most 300 orders, with those that were declined', () => {
  const insertDeclined = (orderId: string, count: number) => owner`
    insert into sourcing.orders (id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id, ip_owner_org_id,
      manufacturer_org_id, seller_org_id, state, quantity, unit_price, total, currency, due_date, created_at, updated_at)
    select ${orderId} || n, left(id, 3) || n || right(id, 6), rfq_id, offer_id, part_id, factory_id, consumer_org_id,
      ip_owner_org_id, manufacturer_org_id, seller_org_id, 'DECLINED', 1, 1, 1, 'EUR', due_date, now(), now()
    from sourcing.orders cross join generate_series(1, ${count}::integer) n where id = ${orderId}`

  test('in a reaward', async () => {
    const { rfqId, second, orderId } = await shared()
    await decline(orderId)
    await insertDeclined(orderId, 298)
    const answer = await reaward(rfqId, second, 1)
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
  })

  test('in an award, and in the acceptance of an offer, after the RFQ has returned', async () => {
    const { rfqId, lost, orderId } = await awarded()
    await decline(orderId)
    await reinstate(rival, lost)
    await insertDeclined(orderId, 299)
    const byAward = await award(rfqId, { awards: [{ offerId: lost, quantity: 10 }] })
    expect([byAward.status, byAward.body.code]).toEqual([409, 'limit_reached'])
    const byAcceptance = await awardsOf(buyer).accept(lost, { quantity: 10 })
    expect([byAcceptance.status, byAcceptance.body.code]).toEqual([409, 'limit_reached'])
    await owner`delete from sourcing.orders where id = ${`${orderId}1`}`
    expect((await awardsOf(buyer).accept(lost, { quantity: 10 })).status).toBe(200)
  })
})
