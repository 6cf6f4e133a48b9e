import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Order } from '../../../proto/http/sourcing/orders.ts'
import { assignmentOf, eventsOf } from '../../testing/assignments.ts'
import { awardsOf } from '../../testing/awards.ts'
import { createFactory } from '../../testing/factories.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { offerBody, offersOf } from '../../testing/offers.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { entriesOf } from '../../testing/people.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const owned = ordersOf(ipOwner.administrator.client)
const isOrder = TypeCompiler.Compile(Order)

const groupsFor = async (partId: string, { administrator }: TestOrganization) => {
  const { body } = await administrator.client.get<{ items: { group: string }[] }>(`/v1/parts/${partId}/files`)
  return body.items.map(({ group }) => group).toSorted()
}

/**
 * A consumer buys one piece of a part for nothing from a manufacturer, which confirms the order. Returns the order's
 * id.
 */
async function tradeForNothing(partId: string, buyer: TestOrganization, by: TestOrganization): Promise<string> {
  const [rfqs, offers] = [rfqsOf(buyer.administrator.client), offersOf(by.administrator.client)]
  const rfq = await rfqs.create(rfqBody(partId, { manufacturerIds: [by.orgId], quantities: [1] }))
  expect((await rfqs.act(rfq.body.id, 'publish')).status).toBe(200)
  const { id: factoryId } = await createFactory(by.administrator.client)
  const priceBreaks = [{ minQuantity: 1, unitPrice: { amount: '0', currency: 'EUR' }, leadTimeDays: 0 }]
  const { body } = await offers.create(offerBody(rfq.body.id, factoryId, { priceBreaks }))
  expect((await offers.act(body.id, 'submit')).status).toBe(200)
  expect((await awardsOf(buyer.administrator.client).accept(body.id, { quantity: 1 })).status).toBe(200)
  const [order] = (await ordersOf(by.administrator.client).list(`?partId=${partId}`)).body.items
  expect((await ordersOf(by.administrator.client).act(order?.id as string, 'confirm')).status).toBe(200)
  return order?.id as string
}

describe('POST /flows/v1/orders/{id}/release-files', () => {
  test('a consumer and a manufacturer that cooperate obtain no files of the group ip without the IP owner', async () => {
    const partId = await publishedPart(ipOwner.administrator.client)
    await new FileClient(market, ipOwner.administrator.client).addFile(partId, 'drawing', 'ip')
    const buyer = await market.organization(['CONSUMER'])
    const id = await tradeForNothing(partId, buyer, maker)
    for (const org of [buyer, maker]) {
      expect((await ordersOf(org.administrator.client).act(id, 'release-files')).status).toBe(404)
      expect(await groupsFor(partId, org)).toEqual([])
    }
    const answer = await owned.act(id, 'release-files')
    expect([answer.status, typeof answer.body.filesReleasedTime, isOrder.Check(answer.body)]).toEqual([
      200,
      'string',
      true,
    ])
    expect(await groupsFor(partId, maker)).toEqual(['ip'])
    expect(await groupsFor(partId, buyer)).toEqual([])
  })

  test('the award of an RFQ for an own part releases its files', async () => {
    const both = await market.organization(['CONSUMER', 'IP_OWNER'])
    const partId = await publishedPart(both.administrator.client, { internal: true })
    await new FileClient(market, both.administrator.client).addFile(partId, 'drawing', 'ip')
    const id = await tradeForNothing(partId, both, maker)
    expect(await groupsFor(partId, maker)).toEqual(['ip'])
    const { body } = await ordersOf(maker.administrator.client).read(id)
    expect(body.filesReleasedTime).toBe(body.createdTime)
    const history = await ordersOf(both.administrator.client).history(id)
    expect(history.body.items.at(-1)?.changes).toContainEqual({ field: 'filesReleasedTime', after: body.createdTime })
    expect((await ordersOf(both.administrator.client).act(id, 'release-files')).status).toBe(409)
  })

  test('a release for one order does not count for another order of the part', async () => {
    const partId = await publishedPart(ipOwner.administrator.client)
    await new FileClient(market, ipOwner.administrator.client).addFile(partId, 'drawing', 'ip')
    const rival = await market.organization(['MANUFACTURER'])
    await place({ partId, manufacturerOrgId: rival.orgId, state: 'CONFIRMED' })
    await owned.act(await place({ partId, state: 'CONFIRMED' }), 'release-files')
    expect([await groupsFor(partId, maker), await groupsFor(partId, rival)]).toEqual([['ip'], []])
  })

  test('writes history, an audit entry, an event, and tells the parties to the assignment', async () => {
    const id = await place()
    const member = await ipOwner.member('IP owner')
    expect((await ordersOf(member.client).act(id, 'release-files')).status).toBe(200)
    const { filesReleasedTime } = (await owned.read(id)).body
    const [newest] = (await owned.history(id)).body.items
    expect([newest?.kind, newest?.changes]).toEqual([
      'UPDATE',
      [{ field: 'filesReleasedTime', after: filesReleasedTime }],
    ])
    const entries = await entriesOf(market, ipOwner.orgId, 'order.releaseFiles')
    expect(entries.filter(({ request }) => request.id === id)).toMatchObject([
      { success: true, actor_id: member.userId, request: { id } },
    ])
    const events = await market.db.owner<{ type: string }[]>`
      select type from sourcing.outbox where subject = ${id} order by seq`
    expect(events.map(({ type }) => type)).toEqual(['sourcing.order.filesReleased'])
    const told = await eventsOf(market.db.owner, await assignmentOf(market.db.owner, id))
    expect(told.map(({ type, tenantId }) => `${type} ${tenantId}`).toSorted()).toEqual(
      [consumer, ipOwner, maker, seller, distributor].map(({ orgId }) => `assignments.updated ${orgId}`).toSorted(),
    )
  })

  test('of equal requests one succeeds and the others are 409, and nothing is written twice', async () => {
    const id = await place({ state: 'CONFIRMED' })
    const answers = await Promise.all(Array.from({ length: 5 }, () => owned.act(id, 'release-files')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
    expect((await owned.history(id)).body.items).toHaveLength(2)
    const again = await owned.act(id, 'release-files')
    expect([again.body.code, again.body.detail]).toEqual(['illegal_transition', 'The files are already released.'])
  })

  test('needs part:update of the IP owner; for others the order is 404, and unknown ids are alike', async () => {
    const id = await place()
    const withoutIt = await ipOwner.member(['order:update', 'order:confirm', 'part:publish', 'file:write'])
    expect((await ordersOf(withoutIt.client).act(id, 'release-files')).status).toBe(403)
    for (const { administrator } of [consumer, maker, seller, distributor, stranger]) {
      expect((await ordersOf(administrator.client).act(id, 'release-files')).status).toBe(404)
    }
    expect((await owned.act('order_unknown', 'release-files')).status).toBe(404)
    expect((await owned.read(id)).body).not.toHaveProperty('filesReleasedTime')
  })
})
