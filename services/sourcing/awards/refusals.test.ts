import { describe, expect, test } from 'bun:test'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerBody, offersOf } from '../../testing/offers.ts'
import { rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await awardParties(market)
const { consumer, ipOwner, maker, rival, distributor, stranger, factories, partId } = parties
const { open, draftOffer, offer, ordersOfRfq } = parties
const { award } = awardsOf(consumer.administrator.client)
const bought = rfqsOf(consumer.administrator.client)

const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const stateOf = async (offerId: string) =>
  (await offersOf(consumer.administrator.client).read(offerId)).body.state as string

describe('what an award refuses', () => {
  test('an unknown offer, a draft, an offer for another RFQ and a repeated one are 400 with the same message', async () => {
    const rfqId = await open()
    const [good, draft] = [await offer(rfqId, maker), await draftOffer(rfqId, rival)]
    const foreign = await offer(await open(), maker)
    for (const offerId of ['offer_unknown', draft, foreign]) {
      const answer = await award(rfqId, {
        awards: [
          { offerId: good, quantity: 1 },
          { offerId, quantity: 1 },
        ],
      })
      expect([answer.status, fields(answer)]).toEqual([400, ['awards.1.offerId']])
      expect(answer.body.errors?.[0]?.message).toBe(`there is no submitted offer \`${offerId}\` for this RFQ`)
    }
    const twice = await award(rfqId, {
      awards: [
        { offerId: good, quantity: 1 },
        { offerId: good, quantity: 2 },
      ],
    })
    expect([twice.status, fields(twice)]).toEqual([400, ['awards.1.offerId']])
    expect((await bought.read(rfqId)).body.state).toBe('OPEN')
    expect(await ordersOfRfq(rfqId)).toEqual([])
  })

  test.each([
    [{}],
    [{ awards: [] }],
    [{ awards: [{ offerId: 'offer_1' }] }],
    [{ awards: [{ offerId: 'offer_1', quantity: 0 }] }],
    [{ awards: [{ offerId: 'offer_1', quantity: 1.5 }] }],
    [{ awards: [{ offerId: 'offer_1', quantity: '1' }] }],
    [{ awards: [{ offerId: 'offer_1', quantity: 1_000_000_001 }] }],
    [{ awards: [{ offerId: 'offer_1', quantity: 1, unitPrice: '1' }] }],
  ])('the body %p is 400', async (body) => {
    expect((await award(await open(), body)).status).toBe(400)
  })

  test('a withdrawn offer, and one whose validity has passed, are 409 that names the offer', async () => {
    const rfqId = await open()
    const [withdrawn, expired] = [await offer(rfqId, maker), await offer(rfqId, rival)]
    await market.db.owner`update sourcing.offers set state = 'WITHDRAWN' where id = ${withdrawn}`
    const first = await award(rfqId, { awards: [{ offerId: withdrawn, quantity: 1 }] })
    expect([first.status, first.body.code, fields(first)]).toEqual([409, 'illegal_transition', ['awards.0.offerId']])
    await market.db.owner`update sourcing.offers set valid_until = now() - interval '1 second' where id = ${expired}`
    const second = await award(rfqId, { awards: [{ offerId: expired, quantity: 1 }] })
    expect([second.status, fields(second)]).toEqual([409, ['awards.0.offerId']])
    expect(second.body.errors?.[0]?.message).toBe('is EXPIRED, not SUBMITTED')
  })

  test('another submitted offer whose validity has passed becomes EXPIRED, not REJECTED', async () => {
    const rfqId = await open()
    const [won, late] = [await offer(rfqId, maker), await offer(rfqId, rival)]
    await market.db.owner`update sourcing.offers set valid_until = now() - interval '1 second' where id = ${late}`
    await award(rfqId, { awards: [{ offerId: won, quantity: 1 }] })
    expect(await stateOf(late)).toBe('EXPIRED')
  })

  test('a quantity below the smallest of the offer, and quantities above the largest of the RFQ, are 409 that names them', async () => {
    const rfqId = await open()
    const priceBreaks = [{ minQuantity: 5, unitPrice: { amount: '1', currency: 'EUR' }, leadTimeDays: 1 }]
    const [one, other] = [await offer(rfqId, maker, { priceBreaks }), await offer(rfqId, rival)]
    const few = await award(rfqId, { awards: [{ offerId: one, quantity: 4 }] })
    expect([few.status, fields(few)]).toEqual([409, ['awards.0.quantity']])
    const many = {
      awards: [
        { offerId: one, quantity: 25 },
        { offerId: other, quantity: 26 },
      ],
    }
    expect([(await award(rfqId, many)).status, fields(await award(rfqId, many))]).toEqual([409, ['awards']])
    const exact = {
      awards: [
        { offerId: one, quantity: 25 },
        { offerId: other, quantity: 25 },
      ],
    }
    expect((await award(rfqId, exact)).status).toBe(200)
  })

  test('a deleted part is 409 that names it', async () => {
    const rfqId = await open()
    const offerId = await offer(rfqId, maker)
    await market.db.owner`update sourcing.rfqs set part_id = 'part_deleted' where id = ${rfqId}`
    const answer = await award(rfqId, { awards: [{ offerId, quantity: 1 }] })
    expect([answer.status, fields(answer)]).toEqual([409, ['partId']])
  })

  test('a factory that is no longer released to the consumer is 409 that names the offer', async () => {
    const rfqId = await open()
    const offerId = await offer(rfqId, rival)
    const factoryId = factories.get(rival.orgId)
    const body = { awards: [{ offerId, quantity: 1 }] }
    const release = { orgId: consumer.orgId }
    await distributor.administrator.client.post(`/flows/v1/factories/${factoryId}/withdraw`, release)
    const message = 'is of a factory that is no longer released to your organization'
    expect((await award(rfqId, body)).body.errors).toEqual([{ field: 'awards.0.offerId', message }])
    await distributor.administrator.client.post(`/flows/v1/factories/${factoryId}/release`, release)
    expect((await award(rfqId, body)).status).toBe(200)
  })

  test('an offer of a factory that is inactive is 409, for a consumer without a distributor and with one', async () => {
    const direct = await market.organization(['CONSUMER'])
    const [rfqs, factory] = [rfqsOf(direct.administrator.client), await createFactory(maker.administrator.client)]
    const makers = offersOf(maker.administrator.client)
    const { id: ofDirect } = (await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
    await rfqs.act(ofDirect, 'publish')
    const { id: offered } = (await makers.create(offerBody(ofDirect, factory.id))).body
    await makers.act(offered, 'submit')
    const ofEngaged = await open()
    const [engaged, released] = [await offer(ofEngaged, rival), factories.get(rival.orgId)]
    for (const [by, rfqId, offerId, manufacturer, factoryId] of [
      [direct, ofDirect, offered, maker, factory.id],
      [consumer, ofEngaged, engaged, rival, released],
    ] as const) {
      const awards = awardsOf(by.administrator.client)
      const act = (verb: string) => manufacturer.administrator.client.post(`/flows/v1/factories/${factoryId}/${verb}`)
      await act('deactivate')
      const message = 'is of a factory that is no longer active'
      const award = await awards.award(rfqId, { awards: [{ offerId, quantity: 1 }] })
      expect([award.status, award.body.code, award.body.errors]).toEqual([
        409,
        'illegal_transition',
        [{ field: 'awards.0.offerId', message }],
      ])
      const acceptance = await awards.accept(offerId, { quantity: 1 })
      expect([acceptance.status, acceptance.body.errors]).toEqual([409, [{ field: 'id', message }]])
      expect(await ordersOfRfq(rfqId)).toEqual([])
      await act('activate')
      expect((await awards.accept(offerId, { quantity: 1 })).status).toBe(200)
    }
  })

  test('a binding offer of a sealed RFQ stays awardable although its factory was deactivated or made internal', async () => {
    for (const change of ['deactivate', 'internal'] as const) {
      const rfqId = await open({ sealed: true })
      const offerId = await offer(rfqId, rival)
      const [{ client }, factoryId] = [rival.administrator, factories.get(rival.orgId)]
      expect((await rfqsOf(consumer.administrator.client).act(rfqId, 'close')).status).toBe(200)
      expect((await offersOf(client).act(offerId, 'withdraw')).status).toBe(409)
      const changed =
        change === 'internal'
          ? await client.send('PATCH', `/flows/v1/factories/${factoryId}`, { body: { internal: true } })
          : await client.post(`/flows/v1/factories/${factoryId}/deactivate`)
      expect(changed.status).toBe(200)
      const body = { awards: [{ offerId, quantity: 1 }] }
      // The distributor still decides: its release is needed.
      const release = { orgId: consumer.orgId }
      const path = `/flows/v1/factories/${factoryId}`
      await market.db.owner`delete from sourcing.factory_releases where factory_id = ${factoryId ?? ''}`
      expect((await award(rfqId, body)).status).toBe(409)
      await client.send('PATCH', path, { body: { internal: false } })
      await client.post(`${path}/activate`)
      await distributor.administrator.client.post(`${path}/release`, release)
      if (change === 'internal') await client.send('PATCH', path, { body: { internal: true } })
      else await client.post(`${path}/deactivate`)
      expect((await award(rfqId, body)).status).toBe(200)
      expect(await ordersOfRfq(rfqId)).toHaveLength(1)
      await client.send('PATCH', path, { body: { internal: false } })
      await client.post(`${path}/activate`)
    }
  })

  test('an RFQ that is AWARDED or CANCELLED is 409', async () => {
    const rfqId = await open()
    const offerId = await offer(rfqId, maker)
    const body = { awards: [{ offerId, quantity: 1 }] }
    for (const state of ['AWARDED', 'CANCELLED'] as const) {
      const reason = state === 'CANCELLED' ? 'x' : null
      await market.db.owner`update sourcing.rfqs set state = ${state}, cancel_reason = ${reason} where id = ${rfqId}`
      const answer = await award(rfqId, body)
      expect([answer.status, answer.body.detail]).toEqual([409, `The RFQ is ${state}, not OPEN or CLOSED.`])
    }
    expect(await ordersOfRfq(rfqId)).toEqual([])
  })

  test("another organization's RFQ is 404: for its IP owner, its manufacturers, its distributor and a stranger", async () => {
    const rfqId = await open()
    const offerId = await offer(rfqId, maker)
    for (const { administrator } of [ipOwner, maker, rival, distributor, stranger]) {
      const other = awardsOf(administrator.client)
      expect((await other.award(rfqId, { awards: [{ offerId, quantity: 1 }] })).status).toBe(404)
      expect((await other.accept(offerId, { quantity: 1 })).status).toBe(404)
    }
    expect((await award('rfq_unknown', { awards: [{ offerId, quantity: 1 }] })).status).toBe(404)
  })

  test('without rfq:award and offer:accept it is 403', async () => {
    const rfqId = await open()
    const offerId = await offer(rfqId, maker)
    const acceptor = awardsOf((await consumer.member(['offer:accept', 'rfq:publish'])).client)
    expect((await acceptor.award(rfqId, { awards: [{ offerId, quantity: 1 }] })).status).toBe(403)
    const awarder = awardsOf((await consumer.member(['rfq:award', 'offer:reject'])).client)
    expect((await awarder.accept(offerId, { quantity: 1 })).status).toBe(403)
    expect((await acceptor.accept(offerId, { quantity: 1 })).status).toBe(200)
  })
})
