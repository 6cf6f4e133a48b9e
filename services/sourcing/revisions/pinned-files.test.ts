import { describe, expect, test } from 'bun:test'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { clientOf, filesAt, read, revision, revisionParties } from '../../testing/revisions.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { removeFiles } from '../files/queries.ts'
import { cleanUpRevisions } from './cleanup.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, ipOwner, maker, buyer, own, openFor, orderFor } = await revisionParties(market)

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
