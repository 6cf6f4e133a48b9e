import { describe, expect, test } from 'bun:test'
import type { Cause } from '../../../proto/events/shapes.ts'
import type { Case } from '../../../proto/http/sourcing/cases.ts'
import { awardsOf } from '../../testing/awards.ts'
import { caseEventsOf, casesOf, type EmittedCaseEvent } from '../../testing/cases.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const parties = await offerParties(market)
const { consumer, ipOwner, maker, rival, stranger, buyer, draft, open, rivalFactory, seller, submittedOffer } = parties
const both = { manufacturerIds: [maker.orgId, rival.orgId] }
const everyone = [consumer, ipOwner, maker, rival]
const names = new Map(Object.entries({ consumer, ipOwner, maker, rival }).map(([name, { orgId }]) => [orgId, name]))

/** The case of an organization of an RFQ. */
async function caseOf(rfqId: string, { administrator, orgId }: TestOrganization): Promise<Case> {
  const { items } = (await casesOf(administrator.client).list(`?rfqId=${rfqId}`)).body
  const [own, ...more] = items.filter((item) => item.orgId === orgId)
  if (!own || more.length > 0) throw new Error(`no single case of the organization among ${items.length}`)
  return own
}

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
/** What consumer, IP owner and manufacturers are told, and the consumer of the conversations. */
const everywhere = (type: string) => [...all(type), `consumer ${type} of maker`, `consumer ${type} of rival`].toSorted()
const all = (type: string) => ['consumer', 'ipOwner', 'maker', 'rival'].map((name) => `${name} ${type}`)
const some = (type: string, ...who: string[]) => who.map((name) => `${name} ${type}`)

/** The events of an award to `maker`. */
const AWARDED = [
  ...some('cases.closed', 'consumer', 'ipOwner', 'rival'),
  'consumer cases.closed of rival',
  'maker cases.updated',
].toSorted()

describe('publish', () => {
  test('opens a case for each organization by itself and tells it, with the publication as the cause', async () => {
    const id = await draft(both)
    const events = await caseEventsOf(market, () => buyer.act(id, 'publish'))
    expect(told(events)).toEqual(everywhere('cases.created'))
    expect(causesOf(events)).toEqual([{ event: 'sourcing.rfq.published', id }])
    const { serialNumber } = (await buyer.read(id)).body
    for (const org of everyone) {
      expect(await caseOf(id, org)).toMatchObject({
        kind: 'SOURCING',
        state: 'OPEN',
        title: `Request for quotation ${serialNumber}`,
        rfqId: id,
        orgId: org.orgId,
        partyOrgIds: org === maker || org === rival ? [org.orgId, consumer.orgId] : [org.orgId],
      })
    }
    expect((await casesOf(stranger.administrator.client).list()).body.items).toEqual([])
  })

  test('opens one case for a consumer that is the IP owner too', async () => {
    const { client } = ipOwner.administrator
    const body = rfqBody(await publishedPart(client, { internal: true }), { manufacturerIds: [maker.orgId] })
    const { id } = (await rfqsOf(client).create(body)).body
    const events = await caseEventsOf(market, () => rfqsOf(client).act(id, 'publish'))
    expect(told(events)).toEqual(['ipOwner cases.created', 'ipOwner cases.created of maker', 'maker cases.created'])
  })

  test('a draft opens none, also not by its invitations, and its cancellation tells no organization', async () => {
    const id = await draft({ manufacturerIds: [] })
    const events = await caseEventsOf(market, async () => {
      expect((await buyer.act(id, 'invite', both)).status).toBe(200)
      expect((await buyer.act(id, 'cancel', { reason: 'Sold.' })).status).toBe(200)
    })
    expect(events).toEqual([])
  })

  test('a refused publication opens none', async () => {
    const id = await draft({ quantities: [] })
    expect(await caseEventsOf(market, () => buyer.act(id, 'publish'))).toEqual([])
  })
})

test('an invitation opens a case only for the new manufacturer; a second one opens none', async () => {
  const id = await open()
  const events = await caseEventsOf(market, () => buyer.act(id, 'invite', both))
  expect(told(events)).toEqual(['consumer cases.created of rival', 'rival cases.created'])
  expect(causesOf(events)).toEqual([{ event: 'sourcing.rfq.invited', id }])
  expect(await caseEventsOf(market, () => buyer.act(id, 'invite', both))).toEqual([])
})

describe('a change of an RFQ', () => {
  test.each([
    ['extend', { expireTime: inHours(200) }, [], 'extended'],
    ['close', undefined, [], 'closed'],
    ['reopen', { expireTime: inHours(200) }, ['close'], 'reopened'],
  ] as const)('%s updates the case of every organization', async (verb, body, before, event) => {
    const id = await open(both)
    for (const earlier of before) await buyer.act(id, earlier)
    const events = await caseEventsOf(market, () => buyer.act(id, verb, body))
    expect(told(events)).toEqual(all('cases.updated'))
    expect(causesOf(events)).toEqual([{ event: `sourcing.rfq.${event}`, id }])
    const { updatedTime, createdTime, state } = await caseOf(id, maker)
    expect([updatedTime > createdTime, state]).toEqual([true, 'OPEN'])
  })

  test('its expiry updates the case of every organization', async () => {
    const id = await open(both)
    const events = await caseEventsOf(market, async () => {
      await market.db.owner`update sourcing.rfqs set expires_at = now() where id = ${id}`
      await until(async () => (await buyer.read(id)).body.state === 'CLOSED')
    })
    expect(told(events)).toEqual(all('cases.updated'))
    expect(causesOf(events)).toEqual([{ event: 'sourcing.rfq.closed', id }])
  })

  test('cancel closes the case of every organization', async () => {
    const id = await open(both)
    const events = await caseEventsOf(market, () => buyer.act(id, 'cancel', { reason: 'Sold.' }))
    expect(told(events)).toEqual(everywhere('cases.closed'))
    expect(causesOf(events)).toEqual([{ event: 'sourcing.rfq.cancelled', id }])
    for (const org of everyone) expect((await caseOf(id, org)).state).toBe('CLOSED')
  })

  test('an award closes the case of every organization but the winner, whose case stays open', async () => {
    const id = await open(both)
    const offerId = await submittedOffer({}, id)
    await submittedOffer({}, id)
    const events = await caseEventsOf(market, () =>
      awardsOf(consumer.administrator.client).award(id, { awards: [{ offerId, quantity: 10 }] }),
    )
    expect(told(events)).toEqual(AWARDED)
    expect(causesOf(events)).toEqual([{ event: 'sourcing.rfq.awarded', id }])
    expect([(await caseOf(id, rival)).state, (await caseOf(id, maker)).state]).toEqual(['CLOSED', 'OPEN'])
  })

  test('an acceptance closes them too; a refused one tells no organization', async () => {
    const id = await open(both)
    const offerId = await submittedOffer({}, id)
    const accept = (quantity: number) => () => awardsOf(consumer.administrator.client).accept(offerId, { quantity })
    expect(await caseEventsOf(market, accept(5000))).toEqual([])
    expect(told(await caseEventsOf(market, accept(10)))).toEqual(AWARDED)
  })

  test('a case that its organization closed or archived keeps its state and is updated', async () => {
    const id = await open(both)
    const requests = casesOf(maker.administrator.client)
    const { id: caseId } = await caseOf(id, maker)
    await requests.act(caseId, 'close')
    await buyer.act(id, 'close')
    const reopened = await caseEventsOf(market, () => buyer.act(id, 'reopen', { expireTime: inHours(100) }))
    expect(told(reopened)).toEqual(all('cases.updated'))
    expect((await caseOf(id, maker)).state).toBe('CLOSED')
    await requests.act(caseId, 'archive')
    const cancelled = await caseEventsOf(market, () => buyer.act(id, 'cancel', { reason: 'Sold.' }))
    const others = [...some('cases.closed', 'consumer', 'ipOwner', 'rival'), 'consumer cases.closed of rival']
    expect(told(cancelled)).toEqual([...others, 'maker cases.updated'].toSorted())
    expect((await caseOf(id, maker)).state).toBe('ARCHIVED')
  })

  test('a case that an organization made by hand for the RFQ does not follow it', async () => {
    const id = await open()
    const { body: made } = await casesOf(maker.administrator.client).create({ kind: 'QUALITY', title: 'X', rfqId: id })
    await buyer.act(id, 'cancel', { reason: 'Sold.' })
    expect((await casesOf(maker.administrator.client).read(made.id)).body).toEqual(made)
  })
})

describe('a decline', () => {
  test("closes the manufacturer's case and updates the consumer's", async () => {
    const id = await open(both)
    const events = await caseEventsOf(market, () => rfqsOf(maker.administrator.client).act(id, 'decline'))
    expect(told(events)).toEqual(['consumer cases.closed of maker', 'consumer cases.updated', 'maker cases.closed'])
    expect(causesOf(events)).toEqual([{ event: 'sourcing.rfq.declined', id }])
    expect([(await caseOf(id, maker)).state, (await caseOf(id, rival)).state]).toEqual(['CLOSED', 'OPEN'])
  })

  test('of a manufacturer that is the consumer too updates its one case once', async () => {
    const dual = await market.organization(['CONSUMER', 'MANUFACTURER', 'IP_OWNER'])
    const requests = rfqsOf(dual.administrator.client)
    const part = await publishedPart(dual.administrator.client)
    const { id } = (await requests.create(rfqBody(part, { manufacturerIds: [dual.orgId] }))).body
    await requests.act(id, 'publish')
    const events = await caseEventsOf(market, () => requests.act(id, 'decline'))
    expect(events.map(({ type }) => type)).toEqual(['cases.updated'])
    expect((await caseOf(id, dual)).state).toBe('OPEN')
  })
})

describe('what an organization learns', () => {
  test('no event of a sealed RFQ has a price, and no event for a manufacturer names its competitor', async () => {
    const id = await open({ ...both, sealed: true })
    const events = await caseEventsOf(market, async () => {
      const figures = {
        priceBreaks: [{ minQuantity: 1, unitPrice: { amount: '73911.37', currency: 'EUR' }, leadTimeDays: 28 }],
        toolingCost: { amount: '58423.11', currency: 'EUR' },
        notes: 'EUR 91753 in all',
      }
      const first = await submittedOffer(figures, id)
      const { body } = await seller.act(first, 'revise')
      await seller.act(body.id, 'submit')
      const rivals = offersOf(rival.administrator.client)
      const other = await rivals.create({ ...figures, rfqId: id, factoryId: rivalFactory.id, validUntil: inHours(9) })
      await rivals.act(other.body.id, 'submit')
      await rivals.act(other.body.id, 'withdraw')
      await buyer.act(id, 'extend', { expireTime: inHours(300) })
      await buyer.act(id, 'close')
      await awardsOf(consumer.administrator.client).accept(body.id, { quantity: 10 })
    })
    expect(events.length).toBeGreaterThan(15)
    for (const event of events) {
      const text = JSON.stringify(event)
      for (const figure of ['73911', '58423', '91753', 'amount']) expect(text).not.toContain(figure)
      if (event.tenantId === maker.orgId) expect(text).not.toContain(rival.orgId)
      if (event.tenantId === rival.orgId) expect(text).not.toContain(maker.orgId)
    }
    const causes = new Set(
      causesOf(events.filter(({ tenantId }) => tenantId === rival.orgId)).map((cause) => cause?.event),
    )
    expect([...causes].filter((event) => event?.startsWith('sourcing.offer.'))).toEqual([
      'sourcing.offer.submitted',
      'sourcing.offer.withdrawn',
    ])
  })

  test("another party's case of the same RFQ is 404", async () => {
    const id = await open(both)
    const { id: caseId } = await caseOf(id, maker)
    for (const { administrator } of [rival, ipOwner, stranger]) {
      expect((await casesOf(administrator.client).read(caseId)).status).toBe(404)
    }
  })
})
