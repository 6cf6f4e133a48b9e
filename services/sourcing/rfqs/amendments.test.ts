import { describe, expect, test } from 'bun:test'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { awardsOf } from '../../testing/awards.ts'
import { caseEventsOf } from '../../testing/cases.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { euros, offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import { inHours, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, partId, buyer, open, seller, factory, submittedOffer } =
  await offerParties(market)
const invited = rfqsOf(maker.administrator.client)
const owner = rfqsOf(ipOwner.administrator.client)
const awards = awardsOf(consumer.administrator.client)

const DELIVERY = {
  name: 'Esbjerg Ship Repair',
  lines: ['Dokvej 12'],
  postalCode: '6700',
  locality: 'Esbjerg',
  regionCode: 'DK',
}
const PLACE = { locality: 'Esbjerg', regionCode: 'DK' }
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const amend = (id: string, body: object, by = buyer) => by.act(id, 'amend', { reason: 'The hub was moved.', ...body })

interface Entry {
  kind: string
  changes: { field: string; before?: unknown; after?: unknown }[]
}
const historyOf = async (id: string, { administrator }: typeof maker) =>
  (await administrator.client.get<{ items: Entry[] }>(`/v1/rfqs/${id}/history`)).body.items

describe('amend', () => {
  test('changes the sent terms, counts the version, and shows the reason to everyone in the history', async () => {
    const id = await open({ requirements: 'Balanced.' })
    const answer = await amend(id, { quantities: [20, 20, 60], requirements: null, delivery: DELIVERY })
    expect([answer.status, answer.body.version, answer.body.quantities]).toEqual([200, 2, [20, 60]])
    for (const by of [buyer, owner, invited]) {
      const { body } = await by.read(id)
      expect(body).toMatchObject({ version: 2, quantities: [20, 60], amendmentReason: 'The hub was moved.' })
      expect(body).not.toHaveProperty('requirements')
    }
    await amend(id, { quantities: [30] })
    for (const org of [consumer, ipOwner, maker]) {
      const [last, previous] = await historyOf(id, org)
      expect(last?.changes).toEqual([
        { field: 'quantities', before: [20, 60], after: [30] },
        { field: 'version', before: 2, after: 3 },
        { field: 'amendmentReason', after: 'The hub was moved.' },
      ])
      const delivery = { field: 'delivery', after: org === consumer ? DELIVERY : PLACE }
      expect(previous?.changes).toContainEqual(delivery)
      expect(previous?.changes).toContainEqual({ field: 'requirements', before: 'Balanced.' })
    }
  })

  test('is 409 after 100 amendments, apart from those of the expiry alone', async () => {
    const id = await open()
    await market.db.owner`update sourcing.rfqs set version = 100 where id = ${id}`
    expect((await amend(id, { quantities: [20] })).body.version).toBe(101)
    const { status, body } = await amend(id, { quantities: [30] })
    expect([status, body.code]).toEqual([409, 'limit_reached'])
    const expireTime = inHours(100)
    expect((await amend(id, { expireTime })).body).toMatchObject({ version: 101, quantities: [20], expireTime })
  })

  test('of the expiry alone, and extend, keep the version', async () => {
    const id = await open()
    expect((await amend(id, { expireTime: inHours(60) })).body.version).toBe(1)
    expect((await buyer.act(id, 'extend', { expireTime: inHours(70) })).body.version).toBe(1)
    expect((await amend(id, { quantities: [1] })).body.version).toBe(2)
  })

  test('with an earlier expiry, or one in less than 24 hours, is 409', async () => {
    const id = await open({ expireTime: inHours(2) })
    for (const body of [{ expireTime: inHours(1) }, { expireTime: inHours(23) }, { quantities: [1] }]) {
      const answer = await amend(id, body)
      expect([answer.status, fields(answer)?.includes('expireTime')]).toEqual([409, true])
    }
    expect((await amend(id, { quantities: [1], expireTime: inHours(25) })).status).toBe(200)
    expect(fields(await amend(id, { expireTime: inHours(24.5) }))).toEqual(['expireTime'])
  })

  test('keeps the guards of publish: quantities, and a part that the consumer may source', async () => {
    const id = await open()
    expect(fields(await amend(id, { quantities: [] }))).toEqual(['quantities'])
    const { client } = ipOwner.administrator
    await client.send('PATCH', `/flows/v1/parts/${partId}`, { body: { internal: true } })
    expect(fields(await amend(id, { quantities: [1] }))).toEqual(['partId'])
    await client.send('PATCH', `/flows/v1/parts/${partId}`, { body: { internal: false } })
  })

  test('without a reason, or of a field that is fixed, is 400; without a change it writes nothing', async () => {
    const id = await open()
    expect(fields(await buyer.act(id, 'amend', { quantities: [1] }))).toEqual(['reason'])
    for (const fixed of ['currency', 'partId', 'sealed', 'manufacturerIds', 'confidentialityTerms']) {
      expect([fixed, (await amend(id, { [fixed]: 'EUR' })).status]).toEqual([fixed, 400])
    }
    const before = await buyer.read(id)
    expect((await amend(id, { quantities: [10, 50] })).text).toBe(before.text)
    expect(await historyOf(id, consumer)).toHaveLength(2)
  })

  test('by others is 404, without rfq:publish 403, and with an old If-Match 412', async () => {
    const id = await open()
    for (const org of [ipOwner, maker, stranger]) {
      expect((await amend(id, { quantities: [1] }, rfqsOf(org.administrator.client))).status).toBe(404)
    }
    const clerk = await consumer.member(['rfq:create'])
    expect((await amend(id, { quantities: [1] }, rfqsOf(clerk.client))).status).toBe(403)
    const etag = (await buyer.read(id)).headers.get('etag') as string
    await amend(id, { quantities: [1] })
    const stale = await buyer.act(id, 'amend', { quantities: [2], reason: 'x' }, { 'if-match': etag })
    expect(stale.status).toBe(412)
  })

  test('emits one event, and updates the case of each organization of the RFQ', async () => {
    const id = await open()
    // Offers of other tests expire meanwhile.
    const emitted = await caseEventsOf(market, () => amend(id, { quantities: [1] }))
    const events = emitted.filter(({ data }) => data.case.rfqId === id)
    expect(events.map(({ type, tenantId }) => `${type} ${tenantId}`).sort()).toEqual(
      [consumer, ipOwner, maker].map(({ orgId }) => `cases.updated ${orgId}`).sort(),
    )
    for (const { data } of events) expect(data).toMatchObject({ cause: { event: 'sourcing.rfq.amended', id } })
    const own = await market.db.owner`
      select from sourcing.outbox where type = 'sourcing.rfq.amended' and subject = ${id}`
    expect(own).toHaveLength(1)
  })
})

describe('an offer for an older version', () => {
  const isOutdated = async (id: string, { administrator }: typeof maker) =>
    (await offersOf(administrator.client).read(id)).body.isOutdated ?? false
  const orders = async (id: string) => (await awards.award(id, { awards: [] })).status

  test('is outdated for all who read it, is not awarded (409 names it), and may be withdrawn', async () => {
    const id = await open()
    const offer = await submittedOffer({}, id)
    expect(await isOutdated(offer, maker)).toBe(false)
    await amend(id, { quantities: [20] })
    for (const org of [maker, consumer, ipOwner]) expect(await isOutdated(offer, org)).toBe(true)
    const award = await awards.award(id, { awards: [{ offerId: offer, quantity: 10 }] })
    expect([award.status, award.body.errors]).toEqual([
      409,
      [
        {
          field: 'awards.0.offerId',
          message: 'is for version 1 of the RFQ, which has version 2 now: it must be reconfirmed or revised',
        },
      ],
    ])
    expect((await awards.accept(offer, { quantity: 10 })).status).toBe(409)
    expect((await seller.act(offer, 'withdraw')).status).toBe(200)
    expect(await orders(id)).toBe(400)
  })

  test('becomes current by reconfirm with the same content, and can then be awarded', async () => {
    const id = await open()
    const offer = await submittedOffer({}, id)
    await amend(id, { quantities: [20] })
    const before = (await seller.read(offer)).body
    const { isOutdated, rfqVersion, ...content } = before
    const answer = await seller.act(offer, 'reconfirm')
    expect([isOutdated, rfqVersion, answer.status]).toEqual([true, 1, 200])
    expect<object>(answer.body).toEqual({ ...content, rfqVersion: 2 })
    expect((await awards.accept(offer, { quantity: 20 })).status).toBe(200)
  })

  test('becomes current by a revision that is submitted', async () => {
    const id = await open()
    const offer = await submittedOffer({}, id)
    await amend(id, { quantities: [20] })
    const { body } = await seller.act(offer, 'revise')
    expect((await seller.act(body.id, 'submit')).body).not.toHaveProperty('isOutdated')
    expect((await awards.accept(body.id, { quantity: 20 })).status).toBe(200)
  })

  test('is not reconfirmed while it is current, without a price for each quantity, or after the RFQ has closed', async () => {
    const id = await open()
    const priceBreaks = [{ minQuantity: 10, unitPrice: euros('9'), leadTimeDays: 5 }]
    const offer = await submittedOffer({ priceBreaks }, id)
    expect((await seller.act(offer, 'reconfirm')).status).toBe(409)
    await amend(id, { quantities: [5, 20] })
    expect(fields(await seller.act(offer, 'reconfirm'))).toEqual(['priceBreaks'])
    await amend(id, { quantities: [20] })
    await buyer.act(id, 'close')
    expect(fields(await seller.act(offer, 'reconfirm'))).toEqual(['rfqId'])
  })

  test('is reconfirmed by its manufacturer alone, with offer:submit', async () => {
    const id = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
    const offer = await submittedOffer({}, id)
    await amend(id, { quantities: [20] })
    for (const org of [consumer, ipOwner, rival, stranger]) {
      expect((await offersOf(org.administrator.client).act(offer, 'reconfirm')).status).toBe(404)
    }
    const clerk = await maker.member(['offer:create'])
    expect((await offersOf(clerk.client).act(offer, 'reconfirm')).status).toBe(403)
  })

  test('an offer that is submitted after the amendment is for the new version', async () => {
    const id = await open()
    const { body } = await seller.create(offerBody(id, factory.id))
    await amend(id, { quantities: [20] })
    expect((await seller.act(body.id, 'submit')).body).not.toHaveProperty('isOutdated')
  })

  test('a current, valid offer of a sealed RFQ is not withdrawn after the RFQ has closed', async () => {
    const id = await open({ sealed: true })
    const [first, second] = [await submittedOffer({}, id), await submittedOffer({}, id)]
    await buyer.act(id, 'close')
    expect((await seller.act(first, 'withdraw')).status).toBe(409)
    await buyer.act(id, 'reopen', { expireTime: inHours(48) })
    await amend(id, { quantities: [20] })
    await buyer.act(id, 'close')
    expect((await seller.act(second, 'withdraw')).status).toBe(200)
  })
})

test('an RFQ that has been CLOSED for 180 days is CANCELLED by the marketplace, with its offers', async () => {
  const [old, recent] = [await open(), await open()]
  const offer = await submittedOffer({}, old)
  for (const [id, days] of [
    [old, 180],
    [recent, 179],
  ] as const) {
    await buyer.act(id, 'close')
    await market.db.owner`
      update sourcing.rfqs set state_since = now() - make_interval(days => ${days}) where id = ${id}`
  }
  const stateOf = async (id: string) => (await buyer.read(id)).body as Rfq
  await until(async () => (await stateOf(old)).state === 'CANCELLED', { what: 'the end of the RFQ' })
  expect((await stateOf(old)).reason).toBe('The RFQ was closed for 180 days without an award.')
  expect((await seller.read(offer)).body.state).toBe('REJECTED')
  expect((await stateOf(recent)).state).toBe('CLOSED')
})
