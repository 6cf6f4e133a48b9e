import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Order } from '../../../proto/http/sourcing/orders.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offersOf } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await awardParties(market)
const { consumer, ipOwner, maker, rival, seller, distributor, partId, factories } = parties
const { open, draftOffer, offer, ordersOfRfq } = parties
const { award, accept } = awardsOf(consumer.administrator.client)
const bought = rfqsOf(consumer.administrator.client)
const isOrder = TypeCompiler.Compile(Order)

const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const stateOf = async (offerId: string) =>
  (await offersOf(consumer.administrator.client).read(offerId)).body.state as string

describe('POST /flows/v1/rfqs/{id}/award', () => {
  test('accepts the offer, rejects the others, awards the RFQ and places an order with its terms', async () => {
    const rfqId = await open()
    const [won, lost] = [await offer(rfqId, maker), await offer(rfqId, rival)]
    const answer = await award(rfqId, { awards: [{ offerId: won, quantity: 10 }] })
    expect([answer.status, answer.body.state, answer.body.awardedOfferIds]).toEqual([200, 'AWARDED', [won]])
    expect(answer.body.orders).toEqual(await ordersOfRfq(rfqId))
    expect([await stateOf(won), await stateOf(lost)]).toEqual(['ACCEPTED', 'REJECTED'])
    const [order, ...others] = (await ordersOf(consumer.administrator.client).list()).body.items.filter(
      (each) => each.rfqId === rfqId,
    )
    expect(others).toEqual([])
    expect(isOrder.Check(order)).toBe(true)
    expect(order).toMatchObject({
      offerId: won,
      partId,
      factoryId: factories.get(maker.orgId),
      consumerOrgId: consumer.orgId,
      ipOwnerOrgId: ipOwner.orgId,
      manufacturerOrgId: maker.orgId,
      state: 'PLACED',
      quantity: 10,
      unitPrice: { amount: '95.50', currency: 'EUR' },
      toolingCost: { amount: '1200.00', currency: 'EUR' },
      shippingCost: { amount: '49.90', currency: 'EUR' },
      total: { amount: '2204.90', currency: 'EUR' },
      // 28 days after the award.
      dueDate: new Date(Date.parse(order?.createdTime ?? '') + 2_419_200_000).toISOString().slice(0, 10),
      milestones: [],
    })
    expect(order?.serialNumber).toMatch(/^O-[0-9A-HJKMNP-TV-Z]{8}$/)
    expect(order?.id.startsWith('order_')).toBe(true)
  })

  test('several offers with a quantity each become an order each, with the price break of each quantity', async () => {
    const rfqId = await open()
    const awards = [
      { offerId: await offer(rfqId, rival), quantity: 9 },
      { offerId: await offer(rfqId, maker), quantity: 41 },
    ]
    const answer = await award(rfqId, { awards })
    expect([answer.status, answer.body.awardedOfferIds]).toEqual([200, awards.map(({ offerId }) => offerId)])
    const orders = await ordersOfRfq(rfqId)
    expect(answer.body.orders).toEqual(orders)
    expect(orders.map(({ offerId, quantity, unitPrice }) => [offerId, quantity, unitPrice.amount])).toEqual([
      [awards[0]?.offerId as string, 9, '120.00'],
      [awards[1]?.offerId as string, 41, '95.50'],
    ])
    // 9 × 120 and 41 × 95.50, each with 1200 and 49.90.
    expect(orders.map(({ total }) => total.amount)).toEqual(['2329.90', '5165.40'])
    expect(orders.map(({ createdTime }) => createdTime)).toEqual([
      orders[0]?.createdTime,
      orders[0]?.createdTime,
    ] as string[])
  })

  test('costs that the offer does not have are omitted from the order', async () => {
    const rfqId = await open()
    const none = { toolingCost: undefined, shippingCost: undefined }
    const price = { amount: '0.0001', currency: 'EUR' }
    const priceBreaks = [{ minQuantity: 1, unitPrice: price, leadTimeDays: 0 }]
    await award(rfqId, { awards: [{ offerId: await offer(rfqId, maker, { ...none, priceBreaks }), quantity: 3 }] })
    const [order] = await ordersOfRfq(rfqId)
    expect([order?.unitPrice.amount, order?.total.amount]).toEqual(['0.0001', '0.0003'])
    expect(order).not.toHaveProperty('toolingCost')
    expect(order).not.toHaveProperty('shippingCost')
  })

  test('the distributor of the consumer, and the manufacturer as seller, are in the order', async () => {
    const rfqId = await open()
    await award(rfqId, { awards: [{ offerId: await offer(rfqId, maker), quantity: 1 }] })
    expect((await ordersOfRfq(rfqId))[0]).toMatchObject({
      sellerOrgId: maker.orgId,
      distributorOrgId: distributor.orgId,
    })
  })

  test('a named seller is in every order; an unknown one, and one without the role SELLER, is 400', async () => {
    const rfqId = await open()
    const awards = [
      { offerId: await offer(rfqId, maker), quantity: 1 },
      { offerId: await offer(rfqId, rival), quantity: 1 },
    ]
    for (const sellerOrgId of ['org_unknown', distributor.orgId]) {
      const answer = await award(rfqId, { awards, sellerOrgId })
      expect([answer.status, fields(answer)]).toEqual([400, ['sellerOrgId']])
    }
    expect((await award(rfqId, { awards, sellerOrgId: seller.orgId })).status).toBe(200)
    expect((await ordersOfRfq(rfqId)).map(({ sellerOrgId }) => sellerOrgId)).toEqual([seller.orgId, seller.orgId])
    const sold = (await ordersOf(seller.administrator.client).list('?view=SELLER')).body.items
    expect(sold.filter((order) => order.rfqId === rfqId)).toHaveLength(2)
  })

  test('a closed RFQ can be awarded, and so can one that has expired before the worker saw it', async () => {
    const closed = await open()
    const first = await offer(closed, maker)
    await bought.act(closed, 'close')
    expect((await award(closed, { awards: [{ offerId: first, quantity: 1 }] })).body.state).toBe('AWARDED')

    const expired = await open()
    const second = await offer(expired, maker)
    // The worker passes over an RFQ that is marked as expired.
    await market.db.owner.begin(async (tx) => {
      await tx`update sourcing.rfqs set expires_at = now() - interval '1 minute' where id = ${expired}`
      await tx`update sourcing.rfqs set expired = true where id = ${expired}`
    })
    expect((await award(expired, { awards: [{ offerId: second, quantity: 1 }] })).status).toBe(200)
    const { body } = await consumer.administrator.client.get<{ items: { changes: { field: string }[] }[] }>(
      `/v1/rfqs/${expired}/history?pageSize=2`,
    )
    expect(body.items.flatMap(({ changes }) => changes.filter(({ field }) => field === 'state'))).toEqual([
      { field: 'state', before: 'CLOSED', after: 'AWARDED' },
      { field: 'state', before: 'OPEN', after: 'CLOSED' },
    ] as object[] as { field: string }[])
  })

  test('of a sealed RFQ follows its close: while it is open every award gets the same 409, whatever its quantities', async () => {
    const rfqId = await open({ sealed: true })
    const priceBreaks = [{ minQuantity: 5, unitPrice: { amount: '1', currency: 'EUR' }, leadTimeDays: 1 }]
    const won = await offer(rfqId, maker, { priceBreaks })
    const lost = await offer(rfqId, rival)
    const answers = await Promise.all([
      ...[1, 4, 5, 10, 1_000_000].map((quantity) => award(rfqId, { awards: [{ offerId: won, quantity }] })),
      ...[1, 4, 5].map((quantity) => accept(won, { quantity })),
    ])
    const problems = answers.map(({ status, body }) => [status, body.code, body.detail, body.errors])
    const sealed = 'The RFQ is sealed and OPEN. Close it, compare the prices, then award it.'
    expect(problems).toEqual(answers.map(() => [409, 'illegal_transition', sealed, undefined]))
    expect((await bought.act(rfqId, 'close')).status).toBe(200)
    expect((await award(rfqId, { awards: [{ offerId: won, quantity: 10 }] })).status).toBe(200)
    // A manufacturer still sees no offer of another one.
    expect((await offersOf(maker.administrator.client).read(lost)).status).toBe(404)
  })
})

describe('POST /flows/v1/offers/{id}/accept', () => {
  test('awards only this offer', async () => {
    const rfqId = await open()
    const [won, lost] = [await offer(rfqId, rival), await offer(rfqId, maker)]
    const answer = await accept(won, { quantity: 50, sellerOrgId: seller.orgId })
    expect([answer.status, answer.body.id, answer.body.state]).toEqual([200, won, 'ACCEPTED'])
    expect(answer.body.orders).toEqual(await ordersOfRfq(rfqId))
    expect((await bought.read(rfqId)).body).toMatchObject({ state: 'AWARDED', awardedOfferIds: [won] })
    expect(await stateOf(lost)).toBe('REJECTED')
    expect((await ordersOfRfq(rfqId)).map(({ quantity, sellerOrgId }) => [quantity, sellerOrgId])).toEqual([
      [50, seller.orgId],
    ])
    const again = await accept(won, { quantity: 50 })
    expect([again.status, again.body.code]).toEqual([409, 'illegal_transition'])
  })

  test('a draft is 404, and the fields of a refusal are those of the request', async () => {
    const rfqId = await open()
    expect((await accept(await draftOffer(rfqId, maker), { quantity: 1 })).status).toBe(404)
    const offerId = await offer(rfqId, rival)
    expect(fields(await accept(offerId, { quantity: 51 }))).toEqual(['quantity'])
    expect(fields(await accept(offerId, { quantity: 1, sellerOrgId: 'org_unknown' }))).toEqual(['sellerOrgId'])
    await market.db.owner`update sourcing.offers set state = 'WITHDRAWN' where id = ${offerId}`
    expect(fields(await accept(offerId, { quantity: 1 }))).toEqual(['id'])
    for (const body of [undefined, {}, { quantity: 0 }]) expect((await accept(offerId, body)).status).toBe(400)
  })
})

describe('an Idempotency-Key', () => {
  test('returns the first answer again and places no second order; with other quantities it is 409', async () => {
    const rfqId = await open()
    const offerId = await offer(rfqId, maker)
    const key = { 'idempotency-key': crypto.randomUUID() }
    const body = { awards: [{ offerId, quantity: 2 }] }
    const first = await award(rfqId, body, key)
    const again = await award(rfqId, body, key)
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    expect(await ordersOfRfq(rfqId)).toHaveLength(1)
    const other = await award(rfqId, { awards: [{ offerId, quantity: 3 }] }, key)
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
    // A key is scoped to the path: another RFQ refuses the offer itself.
    expect(fields(await award(await open(), body, key))).toEqual(['awards.0.offerId'])
  })

  test('of a refused award is free for the next one', async () => {
    const rfqId = await open()
    const offerId = await offer(rfqId, maker)
    const key = { 'idempotency-key': crypto.randomUUID() }
    expect((await accept(offerId, { quantity: 51 }, key)).status).toBe(409)
    expect((await accept(offerId, { quantity: 50 }, key)).status).toBe(200)
    expect((await accept(offerId, { quantity: 50 }, key)).body.state).toBe('ACCEPTED')
  })
})

describe('what a manufacturer sees of an award', () => {
  test('its own offers in awardedOfferIds, in the RFQ, the list and the history, and none of others', async () => {
    const rfqId = await open()
    const [first, second, third] = [await offer(rfqId, maker), await offer(rfqId, rival), await offer(rfqId, maker)]
    await award(rfqId, { awards: [third, second, first].map((offerId) => ({ offerId, quantity: 1 })) })
    const seen = async ({ administrator }: typeof maker) => {
      const mine = rfqsOf(administrator.client)
      const record = (await mine.read(rfqId)).body.awardedOfferIds
      const listed = (await mine.list('?pageSize=50')).body.items.find(({ id }) => id === rfqId)?.awardedOfferIds
      const { body, text } = await administrator.client.get<{
        items: { changes: { field: string; before?: unknown; after?: unknown }[] }[]
      }>(`/v1/rfqs/${rfqId}/history`)
      const changes = body.items.flatMap((entry) => entry.changes.filter(({ field }) => field === 'awardedOfferIds'))
      return { record, listed, changed: changes[0]?.after, text }
    }
    for (const [org, own, others] of [
      [maker, [third, first], [second]],
      [rival, [second], [first, third]],
    ] as const) {
      const { record, listed, changed, text } = await seen(org)
      expect<unknown>([record, listed, changed]).toEqual([own, own, own])
      for (const other of others) expect(text).not.toContain(other)
    }
    for (const org of [consumer, ipOwner]) {
      const { record, changed } = await seen(org)
      expect<unknown>([record, changed]).toEqual([
        [third, second, first],
        [third, second, first],
      ])
    }
  })

  test('a manufacturer without an awarded offer sees that the RFQ was awarded, and no offer', async () => {
    const rfqId = await open()
    await award(rfqId, { awards: [{ offerId: await offer(rfqId, maker), quantity: 1 }] })
    const { body } = await rfqsOf(rival.administrator.client).read(rfqId)
    expect([body.state, body.awardedOfferIds]).toEqual(['AWARDED', []])
  })
})

test('an award writes one audit entry, and the events of RFQ, offers and orders', async () => {
  const rfqId = await open()
  const [won, lost] = [await offer(rfqId, maker), await offer(rfqId, rival)]
  const member = await consumer.member('Buyer')
  await awardsOf(member.client).award(rfqId, { awards: [{ offerId: won, quantity: 10 }] })
  const [order] = await ordersOfRfq(rfqId)
  const entries = await market.db.owner<{ procedure: string; request: object }[]>`
    select procedure, request from organization.audit_log where actor_id = ${member.userId} and procedure ~ '^(rfq|offer|order)'`
  expect(entries.map((entry) => ({ ...entry }))).toEqual([
    { procedure: 'rfq.award', request: { id: rfqId, awards: [{ offerId: won, quantity: 10 }], orderIds: [order?.id] } },
  ])
  const events = await market.db.owner<{ type: string; subject: string; data: object }[]>`
    select type, subject, data::jsonb as data from sourcing.outbox
    where subject = any(${[rfqId, won, lost, order?.id as string]})
      and type ~ '(awarded|accepted|rejected|placed)$' order by seq`
  expect(events.map(({ type, subject }) => [type, subject])).toEqual(
    expect.arrayContaining([
      ['sourcing.rfq.awarded', rfqId],
      ['sourcing.offer.accepted', won],
      ['sourcing.offer.rejected', lost],
      ['sourcing.order.placed', order?.id as string],
    ]),
  )
  expect(events).toHaveLength(4)
  expect(JSON.stringify(events)).not.toContain('95.5')
})

test('the maker of an awarded offer confirms its order, and a rival finds none', async () => {
  const rfqId = await open()
  await award(rfqId, { awards: [{ offerId: await offer(rfqId, maker), quantity: 1 }] })
  const id = (await ordersOfRfq(rfqId))[0]?.id as string
  expect((await ordersOf(rival.administrator.client).act(id, 'confirm')).status).toBe(404)
  expect((await ordersOf(maker.administrator.client).act(id, 'confirm')).body.state).toBe('CONFIRMED')
})
