import { describe, expect, test } from 'bun:test'
import { newId } from '../../kit/db/ids.ts'
import { caseEventsOf } from '../../testing/cases.ts'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { clientOf, filesAt, read, revisionParties } from '../../testing/revisions.ts'
import { publishedPart, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, ipOwner, maker, buyer, own, patch, openFor } = await revisionParties(market)

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
