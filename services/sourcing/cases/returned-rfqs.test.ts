import { describe, expect, test } from 'bun:test'
import type { Case } from '../../../proto/http/sourcing/cases.ts'
import { connect } from '../../kit/db/client.ts'
import { createLog } from '../../kit/log/log.ts'
import { awardsOf } from '../../testing/awards.ts'
import { caseEventsOf, casesOf } from '../../testing/cases.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { offerBody, offersOf } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { reawardParties } from '../../testing/reawards.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { closeEndedCases } from './ends.ts'

const SILENT = createLog({ service: 'sourcing', version: '0', level: 'silent' })
const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const sql = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-cases' })
market.db.beforeDrop(() => sql.end({ timeout: 1 }))
const parties = await reawardParties(market)
const { consumer, maker, rival, buyer, reaward, reinstate, decline, awarded, open, offer, award, ordersOfRfq } = parties
const bought = rfqsOf(buyer)

const casesFor = async (rfqId: string, { administrator, orgId }: TestOrganization): Promise<Case[]> =>
  (await casesOf(administrator.client).list(`?rfqId=${rfqId}`)).body.items.filter((item) => item.orgId === orgId)
const caseOf = async (rfqId: string, of: TestOrganization) => (await casesFor(rfqId, of))[0] as Case
const write = async (id: string, { administrator }: TestOrganization) =>
  (await casesOf(administrator.client).write(id, 'When do you ship?')).status

describe('the conversation of a manufacturer', () => {
  test('that lost an award is open again once missing pieces are placed with it', async () => {
    const rfqId = await open()
    // Both win with one order each; the rival then loses its order, and the maker its only one.
    const [first, second] = [await offer(rfqId, maker), await offer(rfqId, maker)]
    const lost = await offer(rfqId, rival)
    await award(rfqId, { awards: [first, second].map((offerId) => ({ offerId, quantity: 10 })) })
    const { id, state } = await caseOf(rfqId, rival)
    expect([state, await write(id, rival)]).toEqual(['CLOSED', 409])
    const [order] = await ordersOfRfq(rfqId)
    await decline(order?.id as string)
    await reinstate(rival, lost)
    const events = await caseEventsOf(market, () => reaward(rfqId, lost, 10))
    const ofCase = events.filter(({ data }) => data.case.id === id)
    expect(ofCase.map(({ type, tenantId }) => [type, tenantId]).toSorted()).toEqual(
      [rival, consumer].map(({ orgId }) => ['cases.updated', orgId]).toSorted(),
    )
    expect((await caseOf(rfqId, rival)).state).toBe('OPEN')
    expect([await write(id, rival), await write(id, consumer)]).toEqual([201, 201])
  })

  test('without an offer is open again when the RFQ is, but not that of one that declined', async () => {
    const declined = await market.organization(['MANUFACTURER'])
    const factory = await createFactory(declined.administrator.client)
    await parties.distributor.administrator.client.post(`/flows/v1/factories/${factory.id}/release`, {
      orgId: consumer.orgId,
    })
    const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId, declined.orgId] })
    await rfqsOf(declined.administrator.client).act(rfqId, 'decline')
    await award(rfqId, { awards: [{ offerId: await offer(rfqId, maker), quantity: 10 }] })
    const [order] = await ordersOfRfq(rfqId)
    await decline(order?.id as string)
    const { id } = await caseOf(rfqId, rival)
    expect([(await caseOf(rfqId, rival)).state, await write(id, rival)]).toEqual(['CLOSED', 409])
    await bought.act(rfqId, 'reopen', { expireTime: inHours(100) })
    expect([(await caseOf(rfqId, rival)).state, await write(id, rival)]).toEqual(['OPEN', 201])
    expect((await caseOf(rfqId, declined)).state).toBe('CLOSED')
  })

  test('that its organization closed stays closed when the RFQ is open again', async () => {
    const { rfqId, orderId } = await awarded()
    const { id } = await caseOf(rfqId, maker)
    await casesOf(maker.administrator.client).act(id, 'close')
    await decline(orderId)
    await bought.act(rfqId, 'reopen', { expireTime: inHours(100) })
    expect((await caseOf(rfqId, maker)).state).toBe('CLOSED')
  })

  test('that lost its order outlives its 90 days while the RFQ that returned lives, and not a further award', async () => {
    const { rfqId, lost, orderId } = await awarded()
    await decline(orderId)
    await owner`update sourcing.orders set updated_at = now() - interval '91 days' where id = ${orderId}`
    const clean = () => closeEndedCases({ sql, log: SILENT }, new Date().toISOString(), new AbortController().signal)
    await clean()
    const { id, state } = await caseOf(rfqId, maker)
    expect([state, await write(id, maker)]).toEqual(['OPEN', 201])
    await reinstate(rival, lost)
    await awardsOf(buyer).award(rfqId, { awards: [{ offerId: lost, quantity: 10 }] })
    await clean()
    expect((await caseOf(rfqId, maker)).state).toBe('CLOSED')
  })
})

test('a consumer that owns the part and is invited itself keeps one case when an award returns', async () => {
  const dual = await market.organization(['CONSUMER', 'MANUFACTURER', 'IP_OWNER'])
  const { client } = dual.administrator
  const part = await publishedPart(client)
  const { id: rfqId } = (await rfqsOf(client).create(rfqBody(part, { manufacturerIds: [dual.orgId, maker.orgId] })))
    .body
  await rfqsOf(client).act(rfqId, 'publish')
  const [own] = await casesFor(rfqId, dual)
  const body = offerBody(rfqId, parties.factories.get(maker.orgId) as string)
  const { id: offerId } = (await offersOf(maker.administrator.client).create(body)).body
  await offersOf(maker.administrator.client).act(offerId, 'submit')
  await awardsOf(client).award(rfqId, { awards: [{ offerId, quantity: 10 }] })
  const [order] = await ordersOfRfq(rfqId)
  await ordersOf(maker.administrator.client).act(order?.id as string, 'decline', { reason: 'The machine is broken.' })
  expect((await casesFor(rfqId, dual)).map(({ id, state }) => [id, state])).toEqual([[own?.id as string, 'OPEN']])
})

test('a manufacturer that declined is notified of the close, but not of a later expiry', async () => {
  const rfqId = await open()
  await rfqsOf(rival.administrator.client).act(rfqId, 'decline')
  const toldBy = async (work: () => Promise<unknown>) =>
    new Set((await caseEventsOf(market, work)).map(({ tenantId }) => tenantId))
  const extended = await toldBy(() => bought.act(rfqId, 'extend', { expireTime: inHours(300) }))
  expect([extended.has(maker.orgId), extended.has(rival.orgId)]).toEqual([true, false])
  const closed = await toldBy(() => bought.act(rfqId, 'close'))
  expect([closed.has(maker.orgId), closed.has(rival.orgId)]).toEqual([true, true])
})
