import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { File } from '../../../proto/http/sourcing/files.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { PinnedRevision } from '../../../proto/http/sourcing/part-revisions.ts'
import { Part } from '../../../proto/http/sourcing/parts.ts'
import { newId } from '../../kit/db/ids.ts'
import { awardsOf } from '../../testing/awards.ts'
import { caseEventsOf } from '../../testing/cases.ts'
import type { ApiClient } from '../../testing/client.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import type { Problem } from '../../testing/people.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'
import { removeFiles } from '../files/queries.ts'
import { cleanUpRevisions } from './cleanup.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, buyer, factory } = await offerParties(market)
const isPart = TypeCompiler.Compile(Part)
const isRevision = TypeCompiler.Compile(PinnedRevision)
const own = new FileClient(market, ipOwner.administrator.client)
const clientOf = ({ administrator }: TestOrganization) => administrator.client

const patch = async (partId: string, body: object) => {
  const { status, text } = await own.client.send('PATCH', `/flows/v1/parts/${partId}`, { body })
  if (status !== 200) throw new Error(text)
}
const read = (by: TestOrganization, path: string) => clientOf(by).get<Part & Problem>(path)
const revision = (by: TestOrganization, partId: string, number: number | string) =>
  read(by, `/flows/v1/parts/${partId}/revisions/${number}`)
const filesAt = async (client: ApiClient, partId: string, number: number) =>
  (await client.get<{ items: File[] }>(`/flows/v1/parts/${partId}/revisions/${number}/files`)).body.items
const statusesOf = (path: string, by: readonly TestOrganization[]) =>
  Promise.all(by.map(async (org) => (await clientOf(org).get(path)).status))

/** An open RFQ of `consumer` for a part, with `maker` as invitee. */
async function openFor(partId: string, more: object = {}): Promise<string> {
  const { body } = await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId], ...more }))
  const { status, text } = await buyer.act(body.id, 'publish')
  if (status !== 200) throw new Error(text)
  return body.id
}

/** An order of `maker` after an award of the RFQ. */
async function orderFor(rfqId: string): Promise<Order> {
  const offers = offersOf(clientOf(maker))
  const { body } = await offers.create(offerBody(rfqId, factory.id))
  await offers.act(body.id, 'submit')
  const { status, body: accepted, text } = await awardsOf(clientOf(consumer)).accept(body.id, { quantity: 10 })
  if (status !== 200) throw new Error(text)
  return accepted.orders[0] as Order
}

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

describe('partChanged', () => {
  test('is shown to consumer and IP owner alone while the RFQ is OPEN, with one event', async () => {
    const partId = await publishedPart(own.client)
    const rfqId = await openFor(partId)
    const changedFor = async (by: TestOrganization) => (await rfqsOf(clientOf(by)).read(rfqId)).body.partChanged
    await rfqsOf(clientOf(maker)).read(rfqId)
    const before = (await rfqsOf(clientOf(maker)).read(rfqId)).text
    const events = await caseEventsOf(market, async () => {
      await patch(partId, { title: 'Second' })
      await until(async () => (await changedFor(consumer)) === true, { what: 'the change of the part' })
      await patch(partId, { title: 'Third' })
    })
    expect(await changedFor(ipOwner)).toBe(true)
    expect((await rfqsOf(clientOf(maker)).read(rfqId)).text).toBe(before)
    expect(events.map(({ type, tenantId }) => `${type} ${tenantId}`).sort()).toEqual(
      [consumer, ipOwner].map(({ orgId }) => `cases.updated ${orgId}`).sort(),
    )
    const history = await clientOf(consumer).get<{ items: unknown[] }>(`/v1/rfqs/${rfqId}/history`)
    expect(history.text).not.toContain('partChanged')
    await buyer.act(rfqId, 'close')
    expect(await changedFor(consumer)).toBeUndefined()
  })

  test('is shown from the reopening of an RFQ whose part changed while it was CLOSED, with one event', async () => {
    const partId = await publishedPart(own.client)
    const rfqId = await openFor(partId)
    await buyer.act(rfqId, 'close')
    await patch(partId, { title: 'Second' })
    const notified = async () =>
      await market.db.owner`select from sourcing.outbox where type = 'sourcing.rfq.partChanged' and subject = ${rfqId}`
    expect(await notified()).toHaveLength(0)
    const later = { expireTime: new Date(Date.now() + 86_400_000).toISOString() }
    const { status, body } = await buyer.act(rfqId, 'reopen', later)
    expect([status, body.partChanged]).toEqual([200, true])
    expect(await notified()).toHaveLength(1)
    expect(await inboxOf(clientOf(consumer)).kinds(rfqId)).toEqual(['PART_CHANGED'])
    await buyer.act(rfqId, 'close')
    expect((await buyer.act(rfqId, 'reopen', later)).status).toBe(200)
    expect(await notified()).toHaveLength(1)
  })

  test('is not shown when a file that the pinned revision lists is copied or cannot be', async () => {
    const partId = await publishedPart(own.client)
    const [copied, failed] = [await own.addFile(partId, 'drawing'), await own.addFile(partId, 'model')]
    const { owner } = market.db
    await owner`
      update sourcing.files set state = 'PENDING', object_key = null, size_bytes = null, content_type = null,
        sha256 = null, counted_bytes = 0
      where part_id = ${partId}`
    const rfqId = await openFor(partId)
    const { id: uploadId } = await own.uploadBytes('drawing')
    const sourceEtag = new Bun.CryptoHasher('sha256').update('drawing').digest('hex')
    const sources = [
      { id: copied.id, data: { sourceKey: uploadId, sourceEtag } },
      { id: failed.id, data: { sourceKey: newId('upload'), sourceEtag: 'none' } },
    ]
    for (const { id, data } of sources) {
      await owner`
        insert into sourcing.jobs (kind, id, tenant_id, data, created_at, due_at)
        values ('file-copy', ${id}, ${ipOwner.orgId}, ${JSON.stringify(data)}::text::jsonb, now(), now())`
    }
    const states = async () => (await own.listFiles(partId)).map(({ state }) => state).join()
    await until(async () => (await states()) === 'FAILED,READY', { what: 'the end of both copies' })
    expect((await read(ipOwner, `/v1/parts/${partId}`)).body.revision).toBe(5)
    // Events are handled in their order.
    const otherPartId = await publishedPart(own.client)
    const otherId = await openFor(otherPartId)
    await patch(otherPartId, { title: 'Second' })
    const isChanged = async (id: string) => (await buyer.read(id)).body.partChanged === true
    await until(() => isChanged(otherId), { what: 'a later change of another part' })
    expect(await isChanged(rfqId)).toBe(false)
    await own.changeFiles(partId, { remove: [copied.id] })
    await until(() => isChanged(rfqId), { what: 'the change of the files' })
  })

  test('ends with an amendment to the current revision, which every invitee then reads', async () => {
    const partId = await publishedPart(own.client, { internal: false })
    const rfqId = await openFor(partId)
    await own.addFile(partId, 'second drawing')
    const read = async () => (await buyer.read(rfqId)).body
    await until(async () => (await read()).partChanged === true, { what: 'the change of the files' })
    const { body } = await buyer.act(rfqId, 'amend', { partRevision: 'CURRENT', reason: 'A new drawing.' })
    expect([body.partChanged, body.partRevision, body.version]).toEqual([undefined, 2, 2])
    expect((await filesAt(clientOf(maker), partId, 2)).map(({ size }) => size)).toEqual(['second drawing'.length])
  })
})

describe('a file that a pinned revision lists', () => {
  /** Whether the file is there: as a file of the part, or kept for pinned revisions. */
  const stateOf = async (id: string) => {
    const [row] = await market.db.owner<{ state: string }[]>`
      select case when removed_at is null then 'LISTED' else 'KEPT' end as state from sourcing.files where id = ${id}`
    return row?.state ?? 'DELETED'
  }

  test('is kept when it is removed from the part, and only hidden from later revisions', async () => {
    const partId = await publishedPart(own.client)
    const pinned = await own.addFile(partId, 'pinned', 'document', 'a', true)
    await openFor(partId)
    const later = await own.addFile(partId, 'later')
    expect((await own.changeFiles(partId, { remove: [pinned.id, later.id] })).status).toBe(204)
    expect([await stateOf(pinned.id), await stateOf(later.id)]).toEqual(['KEPT', 'DELETED'])
    expect(await own.listFiles(partId)).toEqual([])
    // Its permanent URL ends, and it cannot be removed again.
    expect((await fetch(own.localUrl(pinned.downloadUrl as string))).status).toBe(404)
    expect((await own.changeFiles(partId, { remove: [pinned.id] })).status).toBe(400)
    const history = await own.client.get(`/v1/parts/${partId}/history`)
    expect(history.text).toContain(`{"field":"files.${pinned.id}.name","before":"a"}`)
    const [kept] = await filesAt(clientOf(maker), partId, (await latest(partId)) - 2)
    expect(kept?.id).toBe(pinned.id)
  })

  test('no longer counts as stored once it is removed, unless an RFQ or order of its IP owner pins it, too', async () => {
    const both = await market.organization(['IP_OWNER', 'CONSUMER'])
    const files = new FileClient(market, clientOf(both))
    const stored = async () => {
      const [usage] = await market.db.owner<{ stored_bytes: string }[]>`
        select stored_bytes from sourcing.storage_usage where org_id = ${both.orgId}`
      return Number(usage?.stored_bytes ?? 0)
    }
    const partId = await publishedPart(files.client)
    const [first, second] = [await files.addFile(partId, '12345'), await files.addFile(partId, '123')]
    await openFor(partId)
    expect(await stored()).toBe(8)
    expect((await files.changeFiles(partId, { remove: [first.id] })).status).toBe(204)
    expect([await stateOf(first.id), await stored()]).toEqual(['KEPT', 3])
    const rfqs = rfqsOf(clientOf(both))
    const { id } = (await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
    expect((await rfqs.act(id, 'publish')).status).toBe(200)
    expect((await files.changeFiles(partId, { remove: [second.id] })).status).toBe(204)
    expect([await stateOf(second.id), await stored()]).toEqual(['KEPT', 3])
  })

  const latest = async (partId: string) => (await read(ipOwner, `/v1/parts/${partId}`)).body.revision

  test('survives the deletion of the part for the parties of its order, and is deleted with its last pin', async () => {
    const partId = await publishedPart(own.client)
    const [drawing, loose] = [await own.addFile(partId, 'drawing'), await own.addFile(partId, 'loose')]
    await own.changeFiles(partId, { remove: [loose.id] })
    const rfqId = await openFor(partId)
    const order = await orderFor(rfqId)
    const number = order.partRevision as number
    const after = await own.addFile(partId, 'after')
    await market.db.owner`update sourcing.orders set state = 'COMPLETED' where id = ${order.id}`
    expect((await own.client.send('DELETE', `/flows/v1/parts/${partId}`)).status).toBe(204)
    expect([await stateOf(drawing.id), await stateOf(after.id)]).toEqual(['KEPT', 'DELETED'])
    for (const by of [consumer, maker, ipOwner]) {
      expect((await revision(by, partId, number)).body).toMatchObject({ id: partId, state: 'ARCHIVED' })
      expect((await filesAt(clientOf(by), partId, number)).map(({ id }) => id)).toEqual([drawing.id])
      expect((await read(by, `/v1/parts/${partId}`)).status).toBe(404)
    }
    await cleanUpAt(partId, 2556)
    expect(await stateOf(drawing.id)).toBe('KEPT')
    await cleanUpAt(partId, 2557)
    expect(await stateOf(drawing.id)).toBe('DELETED')
    expect((await revision(maker, partId, number)).status).toBe(404)
  })

  test('is kept for an order of any age until it is finished', async () => {
    const partId = await publishedPart(own.client)
    const drawing = await own.addFile(partId, 'drawing')
    const order = await orderFor(await openFor(partId))
    await own.changeFiles(partId, { remove: [drawing.id] })
    await cleanUpAt(partId, 3000)
    expect(await stateOf(drawing.id)).toBe('KEPT')
    await market.db.owner`update sourcing.orders set state = 'COMPLETED' where id = ${order.id}`
    await cleanUpAt(partId, 3000)
    expect(await stateOf(drawing.id)).toBe('DELETED')
  })

  test('is deleted by the clean-up after one that runs while it is removed from the part', async () => {
    const { owner } = market.db
    const partId = await publishedPart(own.client)
    const drawing = await own.addFile(partId, 'drawing')
    const rfqId = await openFor(partId)
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    await owner.begin(async (tx) => {
      await tx`select from sourcing.parts where id = ${partId} for update`
      await removeFiles(tx, { orgId: ipOwner.orgId, partId, ids: [drawing.id] }, new Date().toISOString())
      await cleanUpAt(partId, 90)
    })
    expect(await stateOf(drawing.id)).toBe('KEPT')
    await cleanUpAt(partId, 90)
    expect(await stateOf(drawing.id)).toBe('DELETED')
  })

  test('of an RFQ without orders is kept until 90 days after its end', async () => {
    const partId = await publishedPart(own.client)
    const drawing = await own.addFile(partId, 'drawing')
    const rfqId = await openFor(partId)
    await own.changeFiles(partId, { remove: [drawing.id] })
    await cleanUpAt(partId, 400)
    expect(await stateOf(drawing.id)).toBe('KEPT')
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    await cleanUpAt(partId, 89)
    expect(await stateOf(drawing.id)).toBe('KEPT')
    await cleanUpAt(partId, 90)
    expect(await stateOf(drawing.id)).toBe('DELETED')
  })

  /** Runs the clean-up of the revisions of a part as it will be in some days. */
  async function cleanUpAt(partId: string, days: number): Promise<void> {
    const now = new Date(Date.now() + days * 24 * 60 * 60 * 1000 + 1000).toISOString()
    await market.db.owner`update sourcing.part_revisions set due_at = ${now} where part_id = ${partId}`
    await cleanUpRevisions(market.db.owner, { orderDays: 2557, now }, new AbortController().signal)
  }
})
