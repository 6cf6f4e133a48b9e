import { describe, expect, test } from 'bun:test'
import type { OfferComparison } from '../../../proto/http/sourcing/comparison.ts'
import { awardsOf } from '../../testing/awards.ts'
import { caseEventsOf, casesOf } from '../../testing/cases.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import { inHours, publishedPart, rfqBody } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, maker, buyer, seller, submittedOffer } = await offerParties(market)
/** Owns the part, and makes it too. */
const owner = await market.organization(['IP_OWNER', 'MANUFACTURER', 'CONSUMER'])
const owned = offersOf(owner.administrator.client)
const partId = await publishedPart(owner.administrator.client)
const factory = await createFactory(owner.administrator.client)

/** An open RFQ for the part of an IP owner, with the submitted offer of its competitor. */
async function competing(invitees: string[], more: object = {}): Promise<{ rfqId: string; rivals: string }> {
  const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId, ...invitees], ...more }))).body
  expect((await buyer.act(id, 'publish')).status).toBe(200)
  return { rfqId: id, rivals: await submittedOffer({}, id) }
}

const listed = async (query: string) => (await owned.list(`?pageSize=50${query}`)).body.items.map(({ id }) => id)
const compared = async (rfqId: string, by = owner) => {
  const path = `/flows/v1/rfqs/${rfqId}/comparison`
  return (await by.administrator.client.get<OfferComparison>(path)).body.offers.map(({ offerId }) => offerId)
}

/** Everything that may show the owner the offer of its competitor. */
async function seenOf(rfqId: string, offerId: string): Promise<(string | number)[]> {
  const lists = [
    `&rfqId=${rfqId}`,
    `&view=IP_OWNER&rfqId=${rfqId}`,
    `&partId=${partId}`,
    '&view=IP_OWNER',
    '&activated=false',
    '&state=SUBMITTED',
    '&state=REJECTED',
    '&state=WITHDRAWN',
  ]
  const found = await Promise.all(lists.map(async (query) => ((await listed(query)).includes(offerId) ? [query] : [])))
  return [
    (await owned.read(offerId)).status,
    ...found.flat(),
    ...((await compared(rfqId)).includes(offerId) ? ['comparison'] : []),
  ]
}

describe('an IP owner that is invited to the RFQ for its part', () => {
  test('sees only its own offer while the RFQ is OPEN or CLOSED; the consumer sees both', async () => {
    const { rfqId, rivals } = await competing([owner.orgId])
    const { id } = (await owned.create(offerBody(rfqId, factory.id))).body
    await owned.act(id, 'submit')
    for (const verb of ['', 'close'] as const) {
      if (verb !== '') await buyer.act(rfqId, verb)
      expect(await seenOf(rfqId, rivals)).toEqual([404])
      for (const query of ['', '&view=IP_OWNER', '&view=MANUFACTURER']) {
        expect([query, await listed(`${query}&rfqId=${rfqId}`)]).toEqual([query, [id]])
      }
      expect(await compared(rfqId)).toEqual([id])
      expect((await compared(rfqId, consumer)).toSorted()).toEqual([rivals, id].toSorted())
    }
    await buyer.act(rfqId, 'reopen', { expireTime: inHours(100) })
    expect(await seenOf(rfqId, rivals)).toEqual([404])
  })

  test('sees the offers of others once the RFQ is AWARDED or CANCELLED', async () => {
    const awarded = await competing([owner.orgId])
    await awardsOf(consumer.administrator.client).accept(awarded.rivals, { quantity: 10 })
    expect(await seenOf(awarded.rfqId, awarded.rivals)).toEqual([
      200,
      `&rfqId=${awarded.rfqId}`,
      `&view=IP_OWNER&rfqId=${awarded.rfqId}`,
      `&partId=${partId}`,
      '&view=IP_OWNER',
      'comparison',
    ])
    const cancelled = await competing([owner.orgId])
    await buyer.act(cancelled.rfqId, 'cancel', { reason: 'Sold.' })
    expect((await owned.read(cancelled.rivals)).body.state).toBe('REJECTED')
  })

  test('sees them no more after it declined, and none from the moment in which it is invited later', async () => {
    const { rfqId, rivals } = await competing([owner.orgId])
    await owner.administrator.client.post(`/flows/v1/rfqs/${rfqId}/decline`)
    expect(await seenOf(rfqId, rivals)).toEqual([404])
    const later = await competing([])
    expect((await owned.read(later.rivals)).status).toBe(200)
    await buyer.act(later.rfqId, 'invite', { manufacturerIds: [owner.orgId] })
    expect(await seenOf(later.rfqId, later.rivals)).toEqual([404])
  })

  test('is not told of the offers of others, and its case does not change', async () => {
    const { rfqId, rivals } = await competing([owner.orgId])
    const own = async () => (await casesOf(owner.administrator.client).list(`?rfqId=${rfqId}`)).body.items
    const before = await own()
    const events = await caseEventsOf(market, async () => {
      const revision = await seller.act(rivals, 'revise')
      await seller.act(revision.body.id, 'submit')
      await seller.act(revision.body.id, 'withdraw')
      const expiring = await submittedOffer({}, rfqId)
      await market.db.owner`update sourcing.offers set valid_until = now() where id = ${expiring}`
      await until(async () => (await seller.read(expiring)).body.state === 'EXPIRED')
      await offersOf(consumer.administrator.client).act(await submittedOffer({}, rfqId), 'reject')
    })
    expect(events.filter(({ tenantId }) => tenantId === consumer.orgId)).toHaveLength(7)
    expect(events.filter(({ tenantId }) => tenantId === owner.orgId)).toEqual([])
    expect(await own()).toEqual(before)
    const mine = await caseEventsOf(market, async () => {
      const { id } = (await owned.create(offerBody(rfqId, factory.id))).body
      await owned.act(id, 'submit')
    })
    expect(mine.map(({ tenantId }) => tenantId).toSorted()).toEqual([consumer.orgId, owner.orgId].toSorted())
  })

  test('that is the consumer too sees every offer', async () => {
    const rfqs = owner.administrator.client
    const body = rfqBody(partId, { manufacturerIds: [maker.orgId, owner.orgId] })
    const { id } = (await rfqs.post<{ id: string }>('/flows/v1/rfqs', body)).body
    await rfqs.post(`/flows/v1/rfqs/${id}/publish`)
    const rivals = await submittedOffer({}, id)
    for (const query of ['', '&view=IP_OWNER', '&view=CONSUMER']) {
      expect(await listed(`${query}&rfqId=${id}`)).toEqual([rivals])
    }
    expect(await compared(id)).toEqual([rivals])
  })
})
