import { describe, expect, test } from 'bun:test'
import type { AwardedRfq } from '../../../proto/http/sourcing/awards.ts'
import { OFFER_STATES } from '../../../proto/states/offers.ts'
import { RFQ_STATES } from '../../../proto/states/rfqs.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { changesOf } from '../../testing/change-requests.ts'
import type { ApiAnswer } from '../../testing/client.ts'
import { REAWARD_FROM, REINSTATE_FROM } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offersOf } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import type { Problem } from '../../testing/people.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, maker, rival, seller, stranger, open, offer, ordersOfRfq } = await awardParties(market)
const buyer = consumer.administrator.client
const bought = rfqsOf(buyer)
const { award } = awardsOf(buyer)
const reward = (client: typeof buyer, rfqId: string, body: object): Promise<ApiAnswer<AwardedRfq & Problem>> =>
  client.post(`/flows/v1/rfqs/${rfqId}/reaward`, body)
const reaward = (rfqId: string, offerId: string, quantity: number) =>
  reward(buyer, rfqId, { awards: [{ offerId, quantity }] })
const reinstate = ({ administrator }: typeof maker, offerId: string) =>
  offersOf(administrator.client).act(offerId, 'reinstate')
const decline = (orderId: string, { administrator }: typeof maker = maker) =>
  ordersOf(administrator.client).act(orderId, 'decline', { reason: 'The machine is broken.' })
const stateOf = async (offerId: string) => (await offersOf(buyer).read(offerId)).body.state
const rfq = async (id: string) => (await bought.read(id)).body
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

/** An RFQ that is awarded to the maker; the rival has lost. */
async function awarded(quantity = 10) {
  const rfqId = await open()
  const [won, lost] = [await offer(rfqId, maker), await offer(rfqId, rival)]
  await award(rfqId, { awards: [{ offerId: won, quantity }] })
  const [order] = await ordersOfRfq(rfqId)
  return { rfqId, won, lost, orderId: order?.id as string }
}

/** An RFQ that is awarded to both: ten pieces each. A third offer, of the rival, has lost. */
async function shared() {
  const rfqId = await open()
  const [first, second, lost] = [await offer(rfqId, maker), await offer(rfqId, rival), await offer(rfqId, rival)]
  await award(rfqId, { awards: [first, second].map((offerId) => ({ offerId, quantity: 10 })) })
  const [order, other] = await ordersOfRfq(rfqId)
  return { rfqId, first, second, lost, orderId: order?.id as string, otherId: other?.id as string }
}

describe('a declined or cancelled order', () => {
  test('rejects its offer, returns the RFQ without a living order to CLOSED, and asks for the losing offers', async () => {
    for (const end of [decline, (id: string) => ordersOf(buyer).act(id, 'cancel', { reason: 'Too late.' })]) {
      const { rfqId, won, lost, orderId } = await awarded()
      await end(orderId)
      const after = await rfq(rfqId)
      expect([after.state, after.awardedOfferIds, after.missingQuantity]).toEqual(['CLOSED', [], undefined])
      expect([await stateOf(won), await stateOf(lost)]).toEqual(['REJECTED', 'REJECTED'])
      const asked = (await offersOf(rival.administrator.client).read(lost)).body
      expect(typeof asked.reinstatementAskedTime).toBe('string')
      expect((await offersOf(maker.administrator.client).read(won)).body.reinstatementAskedTime).toBeUndefined()
      for (const { administrator } of [maker, rival]) {
        expect((await rfqsOf(administrator.client).read(rfqId)).body).toMatchObject({
          state: 'CLOSED',
          awardedOfferIds: [],
        })
      }
    }
  })

  test('by an accepted request to cancel it does the same', async () => {
    const { rfqId, lost, orderId } = await awarded()
    await ordersOf(maker.administrator.client).act(orderId, 'confirm')
    const { body } = await changesOf(buyer).create(orderId, { cancel: true })
    await changesOf(maker.administrator.client).act(orderId, body.id, 'accept')
    expect((await rfq(rfqId)).state).toBe('CLOSED')
    expect((await reinstate(rival, lost)).body.state).toBe('SUBMITTED')
  })

  test('keeps the RFQ AWARDED while others live, and tells the consumer alone what is missing', async () => {
    const { rfqId, first, second, orderId } = await shared()
    await decline(orderId)
    const after = await rfq(rfqId)
    expect([after.state, after.awardedOfferIds, after.missingQuantity]).toEqual(['AWARDED', [second], 10])
    expect(await stateOf(first)).toBe('REJECTED')
    for (const { administrator } of [maker, rival, ipOwner]) {
      const { text } = await rfqsOf(administrator.client).read(rfqId)
      expect(text).not.toContain('missingQuantity')
    }
  })

  test('asks for no offer that the consumer rejected, whose validity has passed or whose maker has declined', async () => {
    const rfqId = await open()
    const [won, rejected, stale] = [await offer(rfqId, maker), await offer(rfqId, rival), await offer(rfqId, rival)]
    await offersOf(buyer).act(rejected, 'reject')
    await award(rfqId, { awards: [{ offerId: won, quantity: 10 }] })
    await owner`update sourcing.offers set valid_until = now() + interval '1 second' where id = ${stale}`
    await owner`update sourcing.offers set valid_until = now() - interval '1 second' where id = ${stale}`
    const [order] = await ordersOfRfq(rfqId)
    await decline(order?.id as string)
    for (const id of [rejected, stale]) {
      expect((await offersOf(rival.administrator.client).read(id)).body.reinstatementAskedTime).toBeUndefined()
      const answer = await reinstate(rival, id)
      expect([answer.status, answer.body.detail]).toEqual([409, 'The offer is not asked for.'])
    }
  })

  test('lets the RFQ be awarded again, reopened or cancelled', async () => {
    const first = await awarded()
    await decline(first.orderId)
    await reinstate(rival, first.lost)
    expect((await award(first.rfqId, { awards: [{ offerId: first.lost, quantity: 10 }] })).body.state).toBe('AWARDED')
    const second = await awarded()
    await decline(second.orderId)
    expect((await bought.act(second.rfqId, 'reopen', { expireTime: inHours(100) })).body.state).toBe('OPEN')
    const third = await awarded()
    await decline(third.orderId)
    expect((await bought.act(third.rfqId, 'cancel', { reason: 'Sold.' })).body.state).toBe('CANCELLED')
    const late = await reinstate(rival, third.lost)
    expect([late.status, late.body.detail]).toEqual([409, 'The offer is not asked for.'])
  })
})

describe('POST /flows/v1/offers/{id}/reinstate', () => {
  test("is the manufacturer's alone, once, with the same content", async () => {
    const { lost, orderId } = await awarded()
    const before = (await offersOf(rival.administrator.client).read(lost)).body
    expect((await reinstate(rival, lost)).status).toBe(409)
    await decline(orderId)
    for (const org of [consumer, ipOwner, maker, seller, stranger])
      expect((await reinstate(org, lost)).status).toBe(404)
    const { status, body } = await reinstate(rival, lost)
    expect([status, body.state, body.priceBreaks]).toEqual([200, 'SUBMITTED', before.priceBreaks])
    expect((await reinstate(rival, lost)).status).toBe(409)
  })

  test('needs an active factory', async () => {
    const { lost, orderId } = await awarded()
    await decline(orderId)
    const { factoryId } = (await offersOf(rival.administrator.client).read(lost)).body
    await rival.administrator.client.post(`/flows/v1/factories/${factoryId}/deactivate`)
    const answer = await reinstate(rival, lost)
    expect([answer.status, answer.body.errors?.[0]]).toEqual([409, { field: 'factoryId', message: 'must be active' }])
    await rival.administrator.client.post(`/flows/v1/factories/${factoryId}/activate`)
    expect((await reinstate(rival, lost)).status).toBe(200)
  })
})

describe('POST /flows/v1/rfqs/{id}/reaward', () => {
  test('places missing pieces with a reinstated offer, at its price for the quantity', async () => {
    const { rfqId, second, lost, orderId } = await shared()
    await decline(orderId)
    await reinstate(rival, lost)
    const answer = await reward(buyer, rfqId, {
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
    // Nothing is missing any more, so the other offers have lost again.
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
    expect([await stateOf(second), (await rfq(rfqId)).missingQuantity]).toEqual(['ACCEPTED', 10])
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
      expect((await reward(administrator.client, rfqId, body)).status).toBe(404)
    }
    const member = await consumer.member(['rfq:create'])
    expect((await reward(member.client, rfqId, body)).status).toBe(403)
  })
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

test('an IP owner that is invited sees the offers of others while the RFQ is AWARDED, and not once it is CLOSED again', async () => {
  const making = await market.organization(['IP_OWNER', 'MANUFACTURER'])
  const partId = await publishedPart(making.administrator.client)
  const body = rfqBody(partId, { manufacturerIds: [maker.orgId, rival.orgId, making.orgId] })
  const direct = await market.organization(['CONSUMER'])
  const bought = rfqsOf(direct.administrator.client)
  const { id } = (await bought.create(body)).body
  await bought.act(id, 'publish')
  const [won, lost] = [await offer(id, maker), await offer(id, rival)]
  const seen = async () =>
    Promise.all([won, lost].map(async (each) => (await offersOf(making.administrator.client).read(each)).status))
  expect(await seen()).toEqual([404, 404])
  await awardsOf(direct.administrator.client).award(id, { awards: [{ offerId: won, quantity: 10 }] })
  expect(await seen()).toEqual([200, 200])
  const [order] = await ordersOfRfq(id)
  await decline(order?.id as string)
  expect(await seen()).toEqual([404, 404])
  await reinstate(rival, lost)
  expect(await seen()).toEqual([404, 404])
})

test('an offer of an older version of the RFQ is not reinstated', async () => {
  const { rfqId, lost, orderId } = await awarded()
  await decline(orderId)
  await bought.act(rfqId, 'reopen', { expireTime: inHours(100) })
  await buyer.post(`/flows/v1/rfqs/${rfqId}/amend`, { requirements: 'Heat treated.', reason: 'Forgotten.' })
  const answer = await reinstate(rival, lost)
  expect([answer.status, answer.body.detail]).toEqual([409, 'The RFQ was amended since. Make a new offer.'])
})

test('no offer is asked for after a further award, or the cancellation, of a returned RFQ', async () => {
  for (const end of ['award', 'cancel'] as const) {
    const rfqId = await open()
    const [won, other, lost] = [await offer(rfqId, maker), await offer(rfqId, rival), await offer(rfqId, rival)]
    await award(rfqId, { awards: [{ offerId: won, quantity: 10 }] })
    const [order] = await ordersOfRfq(rfqId)
    await decline(order?.id as string)
    await reinstate(rival, other)
    if (end === 'award') await award(rfqId, { awards: [{ offerId: other, quantity: 10 }] })
    else await bought.act(rfqId, 'cancel', { reason: 'Sold.' })
    const answer = await reinstate(rival, lost)
    expect([end, answer.status, answer.body.detail]).toEqual([end, 409, 'The offer is not asked for.'])
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

test('an RFQ has at most 300 orders, with those that were declined', async () => {
  const { rfqId, second, orderId } = await shared()
  await decline(orderId)
  await owner`
    insert into sourcing.orders (id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id, ip_owner_org_id,
      manufacturer_org_id, seller_org_id, state, quantity, unit_price, total, currency, due_date, created_at, updated_at)
    select ${orderId} || n, left(id, 3) || n || right(id, 6), rfq_id, offer_id, part_id, factory_id, consumer_org_id,
      ip_owner_org_id, manufacturer_org_id, seller_org_id, 'DECLINED', 1, 1, 1, 'EUR', due_date, now(), now()
    from sourcing.orders cross join generate_series(1, 298) n where id = ${orderId}`
  const answer = await reaward(rfqId, second, 1)
  expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
})
