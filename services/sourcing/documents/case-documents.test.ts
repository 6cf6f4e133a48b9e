import { describe, expect, test } from 'bun:test'
import { caseEventsOf, casesOf, qualityCase } from '../../testing/cases.ts'
import { documentsOf } from '../../testing/documents.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { insertOrder } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'], { UPLOADS_OPEN_MAX: '1000' })
const { owner } = market.db
const { consumer, ipOwner, maker, rival, stranger } = await offerParties(market)
const of = ({ administrator }: TestOrganization) => documentsOf(market, administrator.client)
const makes = casesOf(maker.administrator.client)

const placed = () =>
  insertOrder(owner, {
    consumerOrgId: consumer.orgId,
    ipOwnerOrgId: ipOwner.orgId,
    manufacturerOrgId: maker.orgId,
    sellerOrgId: maker.orgId,
    partId: 'part_1',
    factoryId: 'factory_1',
  })

/** A case of consumer, IP owner and manufacturer. */
const opened = async (orderId?: string) =>
  (await makes.create(qualityCase({ orderId: orderId ?? (await placed()) }))).body.id

describe('documents of a case', () => {
  test('are added and read by its parties, and by no other organization', async () => {
    const id = await opened()
    for (const org of [consumer, ipOwner, maker]) await of(org).add('cases', id, { name: org.orgId })
    const all = [maker, ipOwner, consumer].map(({ orgId }) => orgId)
    for (const org of [consumer, ipOwner, maker]) expect(await of(org).names('cases', id)).toEqual(all)
    for (const org of [rival, stranger]) expect(await of(org).names('cases', id)).toBe(404)
  })

  test('are removed only by the organization that added them', async () => {
    const id = await opened()
    const document = await of(maker).add('cases', id)
    expect((await of(consumer).change('cases', id, { remove: [document.id] })).status).toBe(400)
    expect((await of(maker).change('cases', id, { remove: [document.id] })).status).toBe(204)
  })

  test('are read with case:read alone', async () => {
    const id = await opened()
    const without = await maker.member(['file:write'])
    expect((await documentsOf(market, without.client).list('cases', id)).status).toBe(403)
    const reader = await maker.member(['case:read'])
    expect((await documentsOf(market, reader.client).list('cases', id)).status).toBe(200)
  })

  test.each(['close', 'archive'])('are fixed after %s: 409', async (last) => {
    const id = await opened()
    const document = await of(maker).add('cases', id)
    await makes.act(id, 'close')
    if (last === 'archive') await makes.act(id, 'archive')
    const { id: uploadId } = await of(maker).upload()
    for (const body of [{ add: [{ uploadId, kind: 'OTHER' }] }, { remove: [document.id] }]) {
      const answer = await of(maker).change('cases', id, body)
      expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
    }
  })

  test('of an order that ended more than 90 days ago are fixed: 409', async () => {
    const orderId = await placed()
    const id = await opened(orderId)
    await owner`
      update sourcing.orders set state = 'COMPLETED', updated_at = now() - interval '91 days' where id = ${orderId}`
    const { id: uploadId } = await of(maker).upload()
    expect((await of(maker).change('cases', id, { add: [{ uploadId, kind: 'OTHER' }] })).status).toBe(409)
  })

  test('tell its parties', async () => {
    const id = await opened()
    const events = await caseEventsOf(market, () => of(maker).add('cases', id))
    const told = events.map(({ type, tenantId, subject, data }) => [type, tenantId, subject, data.case.id])
    const each = [consumer, ipOwner, maker].map(({ orgId }) => ['cases.updated', orgId, id, id])
    expect(told.toSorted()).toEqual(each.toSorted())
    expect(events.every(({ data }) => !('cause' in data))).toBe(true)
  })
})
