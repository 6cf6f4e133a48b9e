import { describe, expect, test } from 'bun:test'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { subscriptionParties } from '../../testing/subscriptions.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, stranger, buying, owning, rfqs } = await subscriptionParties(market)
const owner = ipOwner.administrator.client

const newPart = (body: object = {}) => publishedPart(owner, body)
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const required = [409, 'subscription_required']
const invite = { manufacturerIds: [maker.orgId] }
const grant = async (more: object) => (await owning.create({ consumerOrgId: consumer.orgId, ...more })).body.id
const readBy = async (partId: string, { administrator }: typeof consumer) =>
  (await administrator.client.get(`/v1/parts/${partId}`)).status
const draft = async (partId: string) => (await rfqs.create(rfqBody(partId, invite))).body.id

describe('a part that requires a subscription', () => {
  test('is read by every organization, but its RFQ is created only by its IP owner and by subscribers', async () => {
    const partId = await newPart({ requireSubscription: true })
    expect(await readBy(partId, consumer)).toBe(200)
    expect(codeOf(await rfqs.create(rfqBody(partId, invite)))).toEqual(required)
    expect((await rfqsOf(owner).create(rfqBody(partId, invite))).status).toBe(201)
    const { id } = (await buying.create({ partId })).body
    expect(codeOf(await rfqs.create(rfqBody(partId, invite)))).toEqual(required)
    await owning.act(id, 'accept')
    expect((await rfqs.create(rfqBody(partId, invite))).status).toBe(201)
    const others = rfqsOf(stranger.administrator.client)
    expect(codeOf(await others.create(rfqBody(partId, invite)))).toEqual(required)
  })

  test('is sourced by a subscriber to all parts of its IP owner, for as long as it is one', async () => {
    const partId = await newPart({ requireSubscription: true })
    const id = await grant({})
    expect((await rfqs.create(rfqBody(partId, invite))).status).toBe(201)
    await owning.remove(id)
    expect(codeOf(await rfqs.create(rfqBody(partId, invite)))).toEqual(required)
  })

  test('is not sourced with a subscription to another part, nor one that is declined or expired', async () => {
    const [partId, other] = [await newPart({ requireSubscription: true }), await newPart({ requireSubscription: true })]
    await grant({ partId: other })
    expect(codeOf(await rfqs.create(rfqBody(partId, invite)))).toEqual(required)
    const { id } = (await buying.create({ partId })).body
    await owning.act(id, 'decline')
    expect(codeOf(await rfqs.create(rfqBody(partId, invite)))).toEqual(required)
    const expiring = await grant({ partId, expireTime: inHours(1) })
    expect((await rfqs.create(rfqBody(partId, invite))).status).toBe(201)
    // Before a worker has ended it.
    await market.db.owner`update sourcing.subscriptions set expires_at = now() where id = ${expiring}`
    expect(codeOf(await rfqs.create(rfqBody(partId, invite)))).toEqual(required)
  })

  test('is not put into a draft by PATCH; a draft that has it can still be changed', async () => {
    const [free, partId] = [await newPart(), await newPart({ requireSubscription: true })]
    const id = await draft(free)
    expect(codeOf(await rfqs.patch(id, { partId }))).toEqual(required)
    const granted = await grant({ partId })
    expect((await rfqs.patch(id, { partId })).status).toBe(200)
    await owning.remove(granted)
    expect((await rfqs.patch(id, { quantities: [7] })).status).toBe(200)
  })

  test('is not published, amended, reopened or opened to more manufacturers after the subscription has ended', async () => {
    const partId = await newPart({ requireSubscription: true })
    const granted = await grant({ partId })
    const [unpublished, open, closed] = [await draft(partId), await draft(partId), await draft(partId)]
    for (const id of [open, closed]) expect((await rfqs.act(id, 'publish')).status).toBe(200)
    await rfqs.act(closed, 'close')
    await owning.remove(granted)
    const amendment = { quantities: [7], reason: 'More.' }
    expect(codeOf(await rfqs.act(unpublished, 'publish'))).toEqual(required)
    expect(codeOf(await rfqs.act(open, 'amend', amendment))).toEqual(required)
    expect(codeOf(await rfqs.act(open, 'invite', invite))).toEqual(required)
    expect(codeOf(await rfqs.act(closed, 'reopen', { expireTime: inHours(100) }))).toEqual(required)
    // What was published can be extended and ended.
    expect((await rfqs.act(open, 'extend', { expireTime: inHours(100) })).status).toBe(200)
    await grant({ partId })
    expect((await rfqs.act(open, 'amend', amendment)).status).toBe(200)
    expect((await rfqs.act(unpublished, 'publish')).status).toBe(200)
  })

  test('that stops to require it is sourced by all', async () => {
    const partId = await newPart({ requireSubscription: true })
    await owner.send('PATCH', `/flows/v1/parts/${partId}`, { body: { requireSubscription: false } })
    expect((await rfqs.create(rfqBody(partId, invite))).status).toBe(201)
  })
})

describe('an internal part', () => {
  test('is read and sourced by a subscriber to it by name alone, for as long as it is one', async () => {
    const partId = await newPart({ internal: true })
    const files = `/v1/parts/${partId}/files`
    expect(await readBy(partId, consumer)).toBe(404)
    expect((await rfqs.create(rfqBody(partId, invite))).status).toBe(400)
    const id = await grant({ partId })
    const { status, body } = await consumer.administrator.client.get<Part>(`/v1/parts/${partId}`)
    expect([status, body.id, body.businessUnitIds]).toEqual([200, partId, undefined])
    expect((await consumer.administrator.client.get(files)).status).toBe(200)
    expect([await readBy(partId, stranger), await readBy(partId, maker)]).toEqual([404, 404])
    const rfqId = await draft(partId)
    expect((await rfqs.act(rfqId, 'publish')).status).toBe(200)
    expect(await readBy(partId, maker)).toBe(200)
    await rfqs.act(rfqId, 'cancel', { reason: 'Sold.' })
    await owning.remove(id)
    expect([await readBy(partId, consumer), (await consumer.administrator.client.get(files)).status]).toEqual([
      404, 404,
    ])
    expect((await rfqs.create(rfqBody(partId, invite))).status).toBe(400)
  })

  test('is not read by a subscriber to all parts of its IP owner, and is in no list of others', async () => {
    const partId = await newPart({ internal: true })
    const all = await grant({})
    expect(await readBy(partId, consumer)).toBe(404)
    expect((await rfqs.create(rfqBody(partId, invite))).status).toBe(400)
    await owning.remove(all)
    await grant({ partId })
    const { body } = await consumer.administrator.client.get<{ items: Part[] }>('/v1/parts?pageSize=50')
    expect(body.items.map(({ id }) => id)).not.toContain(partId)
  })

  test('is not read while the subscription is only requested, nor after its expiry, nor as a draft or archived', async () => {
    const partId = await newPart()
    await buying.create({ partId })
    await owner.send('PATCH', `/flows/v1/parts/${partId}`, { body: { internal: true } })
    expect(await readBy(partId, consumer)).toBe(404)

    const { body: drafted } = await owner.post<{ id: string }>('/v1/parts', {
      title: 'A',
      materialType: 'metal',
      internal: true,
    })
    await grant({ partId: drafted.id })
    expect(await readBy(drafted.id, consumer)).toBe(404)
    await owner.post(`/flows/v1/parts/${drafted.id}/publish`)
    expect(await readBy(drafted.id, consumer)).toBe(200)
    await owner.post(`/flows/v1/parts/${drafted.id}/archive`)
    expect(await readBy(drafted.id, consumer)).toBe(404)

    const expiring = await newPart({ internal: true })
    const id = await grant({ partId: expiring, expireTime: inHours(1) })
    expect(await readBy(expiring, consumer)).toBe(200)
    await market.db.owner`update sourcing.subscriptions set expires_at = now() where id = ${id}`
    expect(await readBy(expiring, consumer)).toBe(404)
  })

  test('is read by a subscriber as it is now, not as it was when its RFQ was published', async () => {
    const partId = await newPart({ internal: true })
    await grant({ partId })
    await rfqs.act(await draft(partId), 'publish')
    await owner.send('PATCH', `/flows/v1/parts/${partId}`, { body: { title: 'Impeller, revised' } })
    const titleFor = async ({ administrator }: typeof consumer) =>
      (await administrator.client.get<Part>(`/v1/parts/${partId}`)).body.title
    expect([await titleFor(consumer), await titleFor(maker)]).toEqual(['Impeller, revised', 'Impeller'])
  })

  test('whose subscription has ended is no longer available to its draft: 409', async () => {
    const partId = await newPart({ internal: true })
    const id = await grant({ partId })
    const rfqId = await draft(partId)
    await owning.remove(id)
    const { status, body } = await rfqs.act(rfqId, 'publish')
    expect([status, body.code, body.errors?.map(({ field }) => field)]).toEqual([409, 'illegal_transition', ['partId']])
  })
})
