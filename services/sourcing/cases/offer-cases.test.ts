import { describe, expect, test } from 'bun:test'
import type { Cause } from '../../../proto/events/shapes.ts'
import { caseEventsOf, type EmittedCaseEvent } from '../../testing/cases.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'
import { inHours } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
const parties = await offerParties(market)
const { consumer, ipOwner, maker, rival, buyer, open, rivalFactory, seller, submittedOffer } = parties
const both = { manufacturerIds: [maker.orgId, rival.orgId] }
const buyersOffers = offersOf(consumer.administrator.client)
const names = new Map(Object.entries({ consumer, ipOwner, maker, rival }).map(([name, { orgId }]) => [orgId, name]))

/** The organization of each event with its type and, if it has another one, the organization of the case. */
function told(events: readonly EmittedCaseEvent[]) {
  for (const { id, tenantId, subject, data } of events) {
    expect(subject).toBe(data.case.id)
    expect(data.case.partyOrgIds).toContain(tenantId)
    expect(events.filter((other) => other.id === id)).toHaveLength(1)
  }
  return events
    .map(({ tenantId, type, data }) => {
      const { orgId } = data.case
      return `${names.get(tenantId)} ${type}${tenantId === orgId ? '' : ` of ${names.get(orgId)}`}`
    })
    .toSorted()
}
const causesOf = (events: readonly EmittedCaseEvent[]) => [
  ...new Map(
    events.map(({ data }) => {
      const { cause } = data as { cause?: Cause }
      return [JSON.stringify(cause), cause]
    }),
  ).values(),
]
const all = (type: string) => ['consumer', 'ipOwner', 'maker', 'rival'].map((name) => `${name} ${type}`)
const some = (type: string, ...who: string[]) => who.map((name) => `${name} ${type}`)

describe('a change of an offer', () => {
  const three = some('cases.updated', 'consumer', 'ipOwner', 'maker')

  test('submit, withdraw and reject update only the cases of manufacturer, consumer and IP owner', async () => {
    const id = await open(both)
    let [first, second] = ['', '']
    const submitted = await caseEventsOf(market, async () => {
      first = await submittedOffer({}, id)
    })
    expect([told(submitted), causesOf(submitted)]).toEqual([three, [{ event: 'sourcing.offer.submitted', id: first }]])
    const withdrawn = await caseEventsOf(market, () => seller.act(first, 'withdraw'))
    expect([told(withdrawn), causesOf(withdrawn)]).toEqual([three, [{ event: 'sourcing.offer.withdrawn', id: first }]])
    second = await submittedOffer({}, id)
    const rejected = await caseEventsOf(market, () => buyersOffers.act(second, 'reject'))
    expect([told(rejected), causesOf(rejected)]).toEqual([three, [{ event: 'sourcing.offer.rejected', id: second }]])
  })

  test('a revision announces the new offer and the one that it supersedes', async () => {
    const id = await open(both)
    const first = await submittedOffer({}, id)
    const { body } = await seller.act(first, 'revise')
    const events = await caseEventsOf(market, () => seller.act(body.id, 'submit'))
    expect(told(events)).toEqual([...three, ...three].toSorted())
    expect(causesOf(events)).toEqual([
      { event: 'sourcing.offer.submitted', id: body.id },
      { event: 'sourcing.offer.superseded', id: first },
    ])
  })

  test('its expiry updates the three cases', async () => {
    const id = await open(both)
    const offerId = await submittedOffer({}, id)
    const events = await caseEventsOf(market, async () => {
      await market.db.owner`update sourcing.offers set valid_until = now() where id = ${offerId}`
      await until(async () => (await seller.read(offerId)).body.state === 'EXPIRED')
    })
    expect([told(events), causesOf(events)]).toEqual([three, [{ event: 'sourcing.offer.expired', id: offerId }]])
  })

  test('a draft, its changes and a refused submission tell no organization', async () => {
    const id = await open(both)
    const events = await caseEventsOf(market, async () => {
      const { body } = await seller.create({
        ...{ rfqId: id, factoryId: parties.factory.id, validUntil: inHours(-1) },
        priceBreaks: [{ minQuantity: 1, unitPrice: { amount: '1', currency: 'EUR' }, leadTimeDays: 1 }],
      })
      await seller.patch(body.id, { notes: 'Later.' })
      expect((await seller.act(body.id, 'submit')).status).toBe(409)
    })
    expect(events).toEqual([])
  })

  test('concurrent submissions of two manufacturers and a cancellation all end, and each case is closed once', async () => {
    const id = await open(both)
    const rivals = offersOf(rival.administrator.client)
    const offers = await Promise.all([
      ...Array.from({ length: 3 }, () => parties.draftOffer({}, id)),
      ...Array.from({ length: 3 }, async () => {
        const price = [{ minQuantity: 1, unitPrice: { amount: '1', currency: 'EUR' }, leadTimeDays: 1 }]
        const body = { rfqId: id, factoryId: rivalFactory.id, validUntil: inHours(10), priceBreaks: price }
        return (await rivals.create(body)).body.id
      }),
    ])
    const events = await caseEventsOf(market, () =>
      Promise.all([
        ...offers.slice(0, 3).map((offerId) => seller.act(offerId, 'submit')),
        ...offers.slice(3).map((offerId) => rivals.act(offerId, 'submit')),
        buyer.act(id, 'cancel', { reason: 'Sold.' }),
      ]),
    )
    expect(told(events.filter(({ type }) => type === 'cases.closed'))).toEqual(
      [...all('cases.closed'), 'consumer cases.closed of maker', 'consumer cases.closed of rival'].toSorted(),
    )
  })
})
