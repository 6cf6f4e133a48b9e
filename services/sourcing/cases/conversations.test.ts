import { describe, expect, test } from 'bun:test'
import type { Case } from '../../../proto/http/sourcing/cases.ts'
import { connect } from '../../kit/db/client.ts'
import { createLog } from '../../kit/log/log.ts'
import { awardsOf, insertAgreement } from '../../testing/awards.ts'
import { caseEventsOf, casesOf, qualityCase } from '../../testing/cases.ts'
import { marketplaceOf, RACING, type TestOrganization } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { closeEndedCases } from './ends.ts'

const SILENT = createLog({ service: 'sourcing', version: '0', level: 'silent' })
const market = await marketplaceOf(['sourcing'], RACING)
const { owner } = market.db
const sql = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-case-ends' })
market.db.beforeDrop(() => sql.end({ timeout: 1 }))
const { consumer, ipOwner, maker, rival, stranger, buyer, open, submittedOffer } = await offerParties(market)
const of = ({ administrator }: TestOrganization) => casesOf(administrator.client)
const seller = await market.organization(['SELLER'])
await insertAgreement(owner, maker.orgId, seller.orgId, '2.5')
const both = { manufacturerIds: [maker.orgId, rival.orgId] }

/** The case that an RFQ opened for an organization, as another one lists it. */
async function caseOf(rfqId: string, org: TestOrganization, by = org): Promise<Case> {
  const { items } = (await of(by).list(`?rfqId=${rfqId}`)).body
  return items.find(({ orgId }) => orgId === org.orgId) as Case
}

/** The statuses of a message, a task and a document-free change by an organization. */
async function writes(id: string, by: TestOrganization): Promise<number[]> {
  const requests = of(by)
  return [
    (await requests.write(id, 'Hello')).status,
    (await requests.tasks(id).create({ title: 'Report' })).status,
    (await requests.patch(id, { title: crypto.randomUUID() })).status,
  ]
}
const ALLOWED = [201, 201, 200]
const REFUSED = [409, 409, 409]

describe('the conversation of an invited manufacturer', () => {
  test('has the consumer as its other party, who writes first; no other organization reads it', async () => {
    const rfqId = await open(both)
    const { id, partyOrgIds } = await caseOf(rfqId, maker, consumer)
    expect(partyOrgIds).toEqual([maker.orgId, consumer.orgId])
    await of(consumer).write(id, 'Can you start in May?')
    expect((await of(maker).messages(id)).body.items[0]?.text).toBe('Can you start in May?')
    for (const other of [rival, ipOwner, stranger]) {
      expect([(await of(other).read(id)).status, (await of(other).messages(id)).status]).toEqual([404, 404])
      expect((await of(other).list()).text).not.toContain(id)
    }
  })

  test('is one of the own cases of consumer and IP owner no more than before', async () => {
    const rfqId = await open(both)
    expect((await caseOf(rfqId, consumer)).partyOrgIds).toEqual([consumer.orgId])
    expect((await caseOf(rfqId, ipOwner)).partyOrgIds).toEqual([ipOwner.orgId])
    expect((await of(ipOwner).list(`?rfqId=${rfqId}`)).body.items).toHaveLength(1)
  })

  test('of an IP owner has the consumer, and a case that it had before stays its own', async () => {
    const owning = await market.organization(['IP_OWNER', 'MANUFACTURER'])
    const part = await publishedPart(owning.administrator.client)
    const publish = async (manufacturerIds: string[]) => {
      const { id } = (await buyer.create(rfqBody(part, { manufacturerIds }))).body
      await buyer.act(id, 'publish')
      return id
    }
    const first = await publish([owning.orgId])
    expect((await caseOf(first, owning, consumer)).partyOrgIds).toEqual([owning.orgId, consumer.orgId])
    const second = await publish([maker.orgId])
    const { id } = await caseOf(second, owning)
    await of(owning).tasks(id).create({ title: 'What the buyer must not know' })
    const events = await caseEventsOf(market, () => buyer.act(second, 'invite', { manufacturerIds: [owning.orgId] }))
    const conversation = await caseOf(second, owning, consumer)
    expect([conversation.partyOrgIds, conversation.state]).toEqual([[owning.orgId, consumer.orgId], 'OPEN'])
    expect(events.map(({ type, subject, tenantId }) => [type, subject, tenantId])).toEqual([
      ['cases.created', conversation.id, owning.orgId],
      ['cases.created', conversation.id, consumer.orgId],
    ])
    expect((await of(owning).list(`?rfqId=${second}`)).body.items.map((one) => one.id).toSorted()).toEqual(
      [id, conversation.id].toSorted(),
    )
    expect((await of(consumer).write(conversation.id, 'Can you start in May?')).status).toBe(201)
    expect((await of(owning).messages(conversation.id)).body.items).toHaveLength(1)
    expect(await of(owning).read(id)).toMatchObject({
      status: 200,
      body: { partyOrgIds: [owning.orgId], state: 'OPEN' },
    })
    expect((await of(consumer).read(id)).status).toBe(404)
    const tasks = await consumer.administrator.client.get('/flows/v1/tasks')
    expect(tasks.text).not.toContain('What the buyer must not know')
    // After a decline, a further invitation continues the conversation.
    await rfqsOf(owning.administrator.client).act(second, 'decline')
    await buyer.act(second, 'invite', { manufacturerIds: [owning.orgId] })
    expect((await of(consumer).read(conversation.id)).body.state).toBe('OPEN')
    expect((await of(owning).list(`?rfqId=${second}`)).body.items).toHaveLength(2)
  })

  test('ends with a decline for both, is still read, and continues after a new invitation', async () => {
    const rfqId = await open(both)
    const { id } = await caseOf(rfqId, maker)
    await of(consumer).write(id, 'Can you start in May?')
    await rfqsOf(maker.administrator.client).act(rfqId, 'decline')
    expect([await writes(id, maker), await writes(id, consumer)]).toEqual([REFUSED, REFUSED])
    for (const by of [maker, consumer]) {
      expect((await of(by).messages(id)).body.items).toHaveLength(1)
      expect((await of(by).act(id, 'reopen')).status).toBe(409)
    }
    const other = await caseOf(rfqId, rival)
    expect([other.state, await writes(other.id, rival)]).toEqual(['OPEN', ALLOWED])
    await buyer.act(rfqId, 'invite', { manufacturerIds: [maker.orgId] })
    expect([await writes(id, maker), await writes(id, consumer)]).toEqual([ALLOWED, ALLOWED])
  })

  test('that its manufacturer closed cannot be reopened once the RFQ is cancelled', async () => {
    const rfqId = await open(both)
    const { id } = await caseOf(rfqId, maker)
    await of(maker).act(id, 'close')
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    const { status, body } = await of(maker).act(id, 'reopen')
    expect([status, body.detail]).toEqual([409, 'The case can no longer be changed, because the RFQ is CANCELLED.'])
  })

  test('shows no time of a change that the consumer is not told of', async () => {
    const rfqId = await open({ ...both, sealed: true })
    const { id, updatedTime } = await caseOf(rfqId, maker)
    const { updateCases } = await import('./rfq-cases.ts')
    const change = { rfqId, orgIds: [maker.orgId], cause: { event: 'sourcing.offer.filesChanged', id: 'offer_1' } }
    const events = await caseEventsOf(market, () =>
      sql.begin((tx) => updateCases(tx, [change], new Date(Date.now() + 60_000).toISOString())),
    )
    expect(events.map(({ type, tenantId }) => [type, tenantId])).toEqual([['cases.updated', maker.orgId]])
    expect((await of(consumer).read(id)).body.updatedTime).toBe(updatedTime)
  })
})

describe('the conversation of an awarded manufacturer', () => {
  /** An awarded RFQ, the case of the winner and its order. */
  async function awarded() {
    const rfqId = await open(both)
    const { id } = await caseOf(rfqId, maker)
    await awardsOf(consumer.administrator.client).accept(await submittedOffer({}, rfqId), { quantity: 10 })
    const [order] = await owner<{ id: string }[]>`select id from sourcing.orders where rfq_id = ${rfqId}`
    return { rfqId, id, orderId: order?.id as string }
  }
  const endedDaysAgo = (orderId: string, days: number) =>
    owner`
      update sourcing.orders set state = 'COMPLETED', updated_at = now() - make_interval(days => ${days})
      where id = ${orderId}`
  const stateOf = async (id: string) => (await of(maker).read(id)).body.state
  const clean = () => closeEndedCases({ sql, log: SILENT }, new Date().toISOString(), new AbortController().signal)

  test('stays open for both, while those of the others are closed', async () => {
    const { rfqId, id } = await awarded()
    expect([await writes(id, maker), await writes(id, consumer)]).toEqual([ALLOWED, ALLOWED])
    const other = await caseOf(rfqId, rival)
    expect([other.state, await writes(other.id, consumer)]).toEqual(['CLOSED', REFUSED])
    expect((await of(rival).create(qualityCase({ rfqId }))).status).toBe(409)
    // Only the case that the RFQ opened outlives it.
    expect((await of(maker).create(qualityCase({ rfqId }))).status).toBe(409)
  })

  test('can be closed and opened again by the same party', async () => {
    const { id } = await awarded()
    expect((await of(consumer).act(id, 'close')).status).toBe(200)
    expect([(await of(maker).act(id, 'reopen')).status, (await of(consumer).act(id, 'reopen')).status]).toEqual([
      404, 200,
    ])
  })

  test('is closed 90 days after its order has ended, and each party is told', async () => {
    const { id, orderId } = await awarded()
    await endedDaysAgo(orderId, 89)
    await clean()
    expect([await stateOf(id), await writes(id, maker)]).toEqual(['OPEN', ALLOWED])
    await endedDaysAgo(orderId, 90)
    expect(await writes(id, maker)).toEqual(REFUSED)
    const events = await caseEventsOf(market, clean)
    expect(events.map(({ type, tenantId }) => `${type} ${tenantId}`).toSorted()).toEqual(
      [maker, consumer].map(({ orgId }) => `cases.closed ${orgId}`).toSorted(),
    )
    expect(await stateOf(id)).toBe('CLOSED')
    expect((await of(maker).act(id, 'reopen')).status).toBe(409)
  })

  test('of two orders ends 90 days after the last one, also if they end at the same time', async () => {
    const rfqId = await open({ manufacturerIds: [maker.orgId] })
    const { id } = await caseOf(rfqId, maker)
    const offerIds = [await submittedOffer({}, rfqId), await submittedOffer({}, rfqId)]
    const awards = offerIds.map((offerId) => ({ offerId, quantity: 10 }))
    expect((await awardsOf(consumer.administrator.client).award(rfqId, { awards })).status).toBe(200)
    const orders = await owner<{ id: string }[]>`select id from sourcing.orders where rfq_id = ${rfqId} order by id`
    const [first, second] = orders.map((order) => order.id) as [string, string]
    await endedDaysAgo(first, 100)
    await clean()
    expect([await stateOf(id), await writes(id, maker)]).toEqual(['OPEN', ALLOWED])
    await owner`update sourcing.orders set state = 'IN_PRODUCTION', updated_at = now() where id = ${first}`
    await Promise.all([endedDaysAgo(first, 95), endedDaysAgo(second, 91)])
    await clean()
    expect(await stateOf(id)).toBe('CLOSED')
  })

  test('of an order that is declined lives on for 90 days, too', async () => {
    const { id, orderId } = await awarded()
    expect(
      (await ordersOf(maker.administrator.client).act(orderId, 'decline', { reason: 'Machine down.' })).status,
    ).toBe(200)
    expect(await writes(id, consumer)).toEqual(ALLOWED)
  })
})

describe('a QUALITY case of an order', () => {
  const place = async () => {
    const rfqId = await open(both)
    const body = { awards: [{ offerId: await submittedOffer({}, rfqId), quantity: 10 }], sellerOrgId: seller.orgId }
    expect((await awardsOf(consumer.administrator.client).award(rfqId, body)).status).toBe(200)
    const [order] = await owner<{ id: string }[]>`select id from sourcing.orders where rfq_id = ${rfqId}`
    return order?.id as string
  }

  test('has the parties that its creator names, and its creator', async () => {
    const orderId = await place()
    const { status, body } = await of(maker).create(qualityCase({ orderId, partyOrgIds: [consumer.orgId] }))
    expect([status, body.partyOrgIds.toSorted()]).toEqual([201, [maker.orgId, consumer.orgId].toSorted()])
    for (const other of [ipOwner, seller, rival]) {
      expect((await of(other).read(body.id)).status).toBe(404)
      expect((await of(other).list(`?orderId=${orderId}`)).body.items).toEqual([])
    }
    const own = await of(maker).create(qualityCase({ orderId, partyOrgIds: [maker.orgId] }))
    expect(own.body.partyOrgIds).toEqual([maker.orgId])
  })

  test('of which none is named has all', async () => {
    const { body } = await of(maker).create(qualityCase({ orderId: await place() }))
    expect(body.partyOrgIds.toSorted()).toEqual([consumer, ipOwner, maker, seller].map(({ orgId }) => orgId).toSorted())
  })

  test('with an organization that the order does not name is 400, exactly like an unknown one', async () => {
    const orderId = await place()
    const details = await Promise.all(
      [rival.orgId, 'org_unknown'].map(async (orgId) => {
        const { status, body } = await of(maker).create(qualityCase({ orderId, partyOrgIds: [consumer.orgId, orgId] }))
        expect([status, body.errors?.map(({ field }) => field)]).toEqual([400, ['partyOrgIds.1']])
        return body.detail.replace(orgId, 'id')
      }),
    )
    expect(details[0]).toBe(details[1] as string)
  })

  test.each([{ kind: 'SOURCING' }, { orderId: undefined }, { partyOrgIds: [] }])(
    'named parties beside %p are 400',
    async (more) => {
      const body = qualityCase({ orderId: await place(), partyOrgIds: [consumer.orgId], ...more })
      const answer = await of(maker).create(body)
      expect([answer.status, answer.body.errors?.map(({ field }) => field)]).toEqual([400, ['partyOrgIds']])
    },
  )
})
