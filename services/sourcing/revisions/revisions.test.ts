import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { File } from '../../../proto/http/sourcing/files.ts'
import { PinnedRevision } from '../../../proto/http/sourcing/part-revisions.ts'
import { Part } from '../../../proto/http/sourcing/parts.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { offersOf } from '../../testing/offers.ts'
import { clientOf, filesAt, read, revision, revisionParties } from '../../testing/revisions.ts'
import { publishedPart, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, buyer, own, patch, openFor, orderFor } =
  await revisionParties(market)
const isPart = TypeCompiler.Compile(Part)
const isRevision = TypeCompiler.Compile(PinnedRevision)

const statusesOf = (path: string, by: readonly TestOrganization[]) =>
  Promise.all(by.map(async (org) => (await clientOf(org).get(path)).status))

describe('what was quoted is what is made', () => {
  test('an RFQ, its offers and orders carry the revision of its publication, also after the part has changed', async () => {
    const partId = await publishedPart(own.client, { title: 'First' })
    const rfqId = await openFor(partId)
    await patch(partId, { title: 'Second' })
    const order = await orderFor(rfqId)
    const offer = await offersOf(clientOf(maker)).read(order.offerId)
    expect([(await buyer.read(rfqId)).body.partRevision, offer.body.partRevision, order.partRevision]).toEqual([
      1, 1, 1,
    ])
    for (const by of [consumer, maker, ipOwner]) {
      const { body } = await revision(by, partId, 1)
      expect([body.title, body.revision, isPart.Check(body)]).toEqual(['First', 1, true])
    }
    expect((await read(ipOwner, `/v1/parts/${partId}`)).body).toMatchObject({ title: 'Second', revision: 2 })
  })

  test('an invitee, consumer and party of an order of an internal part read the pinned revision, never a later one', async () => {
    const partId = await publishedPart(own.client, { title: 'First', metadata: { drawing: 'A' } })
    const drawing = await own.addFile(partId, 'first drawing')
    const rfqId = await openFor(partId)
    await patch(partId, { title: 'Second', internal: true, metadata: { drawing: 'B' } })
    await own.changeFiles(partId, { remove: [drawing.id] })
    await own.addFile(partId, 'second drawing')
    const readers = [consumer, maker]
    const check = async () => {
      for (const by of readers) {
        const { body, text } = await read(by, `/v1/parts/${partId}`)
        expect(body).toMatchObject({ title: 'First', revision: 2, internal: true, state: 'PUBLISHED' })
        expect(text).not.toContain('Second')
        const metadata = await clientOf(by).get(`/v1/parts/${partId}/metadata`)
        expect(metadata.body).toEqual({ metadata: { drawing: 'A' } })
        const [file, ...others] = await own.listFiles(partId, clientOf(by))
        expect([file?.id, others]).toEqual([drawing.id, []])
        expect(await (await own.download(file as File)).text()).toBe('first drawing')
        const batch = await clientOf(by).post<{ items: Part[] }>('/flows/v1/parts:batch-get', { ids: [partId] })
        expect(batch.body.items.map(({ title }) => title)).toEqual(['First'])
      }
    }
    await check()
    await orderFor(rfqId)
    await check()
    expect((await read(rival, `/v1/parts/${partId}`)).status).toBe(404)
    const [current] = await own.listFiles(partId)
    expect(current?.id).not.toBe(drawing.id)
  })

  test('a revision is read by the IP owner and by those whose RFQ or order pins it, for as long as it does', async () => {
    const partId = await publishedPart(own.client)
    const rfqId = await openFor(partId)
    const path = `/flows/v1/parts/${partId}/revisions/2`
    const all = [ipOwner, consumer, maker, rival, stranger]
    await patch(partId, { title: 'Second' })
    expect(await statusesOf(path, all)).toEqual([404, 404, 404, 404, 404])
    await buyer.act(rfqId, 'amend', { partRevision: 'CURRENT', reason: 'The hub was moved.' })
    expect(await statusesOf(path, all)).toEqual([200, 200, 200, 404, 404])
    // The first revision is pinned no longer, so only the IP owner reads what is kept of it.
    expect(await statusesOf(`/flows/v1/parts/${partId}/revisions/1`, all)).toEqual([200, 404, 404, 404, 404])
    await rfqsOf(clientOf(maker)).act(rfqId, 'decline')
    expect(await statusesOf(path, all)).toEqual([200, 200, 404, 404, 404])
    expect(await statusesOf(`${path}/files`, all)).toEqual([200, 200, 404, 404, 404])
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    expect(await statusesOf(path, all)).toEqual([200, 404, 404, 404, 404])
    for (const number of ['0', '3', '01', '-1', 'x', '99999999999']) {
      expect([number, (await revision(ipOwner, partId, number)).status]).toEqual([number, 404])
    }
  })

  test('the fields that only the IP owner sees stay so in a revision', async () => {
    const partId = await publishedPart(own.client)
    await openFor(partId)
    expect((await revision(ipOwner, partId, 1)).body).toHaveProperty('businessUnitIds')
    for (const by of [consumer, maker]) {
      for (const field of ['businessUnitIds', 'customFields']) {
        expect((await revision(by, partId, 1)).body).not.toHaveProperty(field)
      }
    }
  })

  test('its files are those that were listed then, without the groups that the reader may not read', async () => {
    const partId = await publishedPart(own.client)
    await own.addFile(partId, 'ip', 'ip', 'model.step')
    await own.addFile(partId, 'notes', 'development', 'notes.txt')
    await own.addFile(partId, 'pdf', 'document', 'drawing.pdf')
    const rfqId = await openFor(partId)
    const pinned = (await buyer.read(rfqId)).body.partRevision as number
    await own.addFile(partId, 'late', 'document', 'late.pdf')
    const namesFor = async (by: TestOrganization) =>
      (await filesAt(clientOf(by), partId, pinned)).map(({ name }) => name)
    expect(await namesFor(ipOwner)).toEqual(['drawing.pdf', 'notes.txt', 'model.step'])
    for (const by of [consumer, maker]) expect(await namesFor(by)).toEqual(['drawing.pdf'])
    const order = await orderFor(rfqId)
    await clientOf(ipOwner).post(`/flows/v1/orders/${order.id}/release-files`)
    await clientOf(maker).post(`/flows/v1/orders/${order.id}/confirm`)
    expect(await namesFor(maker)).toEqual(['drawing.pdf', 'model.step'])
    // A model that is added later is not released for this order.
    await own.addFile(partId, 'ip 2', 'ip', 'model-2.step')
    const current = await own.listFiles(partId, clientOf(maker))
    expect(current.map(({ name }) => name).sort()).toEqual(['drawing.pdf', 'late.pdf', 'model.step'])
  })

  test('the IP owner lists all pinned revisions with what pins them; others get 404', async () => {
    const partId = await publishedPart(own.client)
    const rfqId = await openFor(partId)
    const order = await orderFor(rfqId)
    await patch(partId, { title: 'Second' })
    const second = await openFor(partId)
    const list = await clientOf(ipOwner).get<{ items: PinnedRevision[] }>(`/flows/v1/parts/${partId}/revisions`)
    expect(list.body.items.every((item) => isRevision.Check(item))).toBe(true)
    expect(
      list.body.items.map(({ revision: number, pinCount, pins }) => [number, pinCount, pins.map(({ id }) => id)]),
    ).toEqual([
      [2, 1, [second]],
      [1, 2, [order.id, rfqId]],
    ])
    const paged = await clientOf(ipOwner).get<{ items: PinnedRevision[]; hasMore: boolean }>(
      `/flows/v1/parts/${partId}/revisions?page=2&pageSize=1`,
    )
    expect([paged.body.items.map((item) => item.revision), paged.body.hasMore]).toEqual([[1], false])
    const others = await statusesOf(`/flows/v1/parts/${partId}/revisions`, [consumer, maker, stranger])
    expect(others).toEqual([404, 404, 404])
  })
})
