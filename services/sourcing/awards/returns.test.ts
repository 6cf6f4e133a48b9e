import { describe, expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { changesOf } from '../../testing/change-requests.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offersOf } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { reawardParties } from '../../testing/reawards.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const parties = await reawardParties(market)
const { consumer, ipOwner, maker, rival, seller, stranger, open, offer, ordersOfRfq } = parties
const { buyer, award, reinstate, decline, stateOf, awarded, shared } = parties
const bought = rfqsOf(buyer)

describe('a declined or cancelled order', () => {
  test('rejects its offer, returns the RFQ without a living order to CLOSED, and asks for the losing offers', async () => {
    for (const end of [decline, (id: string) => ordersOf(buyer).act(id, 'cancel', { reason: 'Too late.' })]) {
      const { rfqId, won, lost, orderId } = await awarded()
      await end(orderId)
      const after = (await bought.read(rfqId)).body
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
    expect((await bought.read(rfqId)).body.state).toBe('CLOSED')
    expect((await reinstate(rival, lost)).body.state).toBe('SUBMITTED')
  })

  test('keeps the RFQ AWARDED while others live, and tells the consumer alone what is missing', async () => {
    const { rfqId, first, second, orderId } = await shared()
    await decline(orderId)
    const after = (await bought.read(rfqId)).body
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

test('an offer is not reinstated beside 20 offers of its organization in DRAFT or SUBMITTED', async () => {
  const { lost, orderId } = await awarded()
  await decline(orderId)
  await owner`
    insert into sourcing.offers (id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id,
      state, currency, price_breaks, valid_until, revision, created_by, created_at, updated_at, submitted_at)
    select id || n, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id,
      'DRAFT', currency, price_breaks, valid_until, 1, created_by, now(), now(), null
    from sourcing.offers cross join generate_series(1, 20) n where id = ${lost}`
  const answer = await reinstate(rival, lost)
  expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
  await owner`delete from sourcing.offers where id = ${`${lost}1`}`
  expect((await reinstate(rival, lost)).status).toBe(200)
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
