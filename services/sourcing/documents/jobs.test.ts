import { describe, expect, test } from 'bun:test'
import { newId } from '../../kit/db/ids.ts'
import { assignmentOf, eventsOf } from '../../testing/assignments.ts'
import { caseEvents, casesOf, qualityCase } from '../../testing/cases.ts'
import { documentsOf, insertDocument } from '../../testing/documents.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { insertAssignedOrder } from '../../testing/orders.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], { UPLOADS_OPEN_MAX: '1000' })
const { owner } = market.db
const { consumer, ipOwner, maker, rival, partId, factory, buyer, draft, open, draftOffer, seller } =
  await offerParties(market)
const of = ({ administrator }: TestOrganization) => documentsOf(market, administrator.client)

/** Makes a PENDING document the copy of an upload, as on S3. Without an upload the copy fails. */
async function startCopy(id: string, orgId: string, sourceKey: string = newId('upload')): Promise<void> {
  const data = JSON.stringify({ sourceKey, sourceEtag: await etagOf(sourceKey) })
  await owner`
    insert into sourcing.jobs (kind, id, tenant_id, data, created_at, due_at)
    values ('file-copy', ${id}, ${orgId}, ${data}::text::jsonb, now(), now())`
  await until(async () => (await owner`select from sourcing.files where id = ${id} and state <> 'PENDING'`).length > 0)
}

/** The folder store has the hash of an object as its etag. */
const etagOf = async (key: string) => {
  const [upload] = await owner`select id from sourcing.uploads where id = ${key}`
  return upload ? new Bun.CryptoHasher('sha256').update('solid impeller').digest('hex') : 'none'
}

const causes = async (orgId: string, recordId: string) =>
  (await caseEvents(market))
    .filter(({ tenantId, data }) => tenantId === orgId && 'cause' in data && data.cause?.id === recordId)
    .map(({ data }) => 'cause' in data && data.cause?.event)
    .filter((event) => `${event}`.endsWith('filesChanged'))

const order = () =>
  insertAssignedOrder(owner, {
    consumerOrgId: consumer.orgId,
    ipOwnerOrgId: ipOwner.orgId,
    manufacturerOrgId: maker.orgId,
    sellerOrgId: maker.orgId,
    partId,
    factoryId: factory.id,
  })

describe('a PENDING document', () => {
  test('becomes READY when its bytes have been copied and read, which its history and its readers learn', async () => {
    const id = await order()
    const document = await insertDocument(market, {
      orgId: maker.orgId,
      kind: 'order',
      recordId: id,
      state: 'PENDING',
    })
    await startCopy(document, maker.orgId, (await of(maker).upload('solid impeller')).id)
    const [listed] = (await of(consumer).list('orders', id)).body.items
    expect(listed).toMatchObject({ id: document, state: 'READY', size: 14 })
    expect(listed && (await (await of(consumer).download(listed)).text())).toBe('solid impeller')
    const told = await eventsOf(owner, await assignmentOf(owner, id))
    expect(told.map(({ type, tenantId }) => `${type} ${tenantId}`).toSorted()).toEqual(
      [consumer, ipOwner, maker].map(({ orgId }) => `assignments.updated ${orgId}`).toSorted(),
    )
    const { body } = await consumer.administrator.client.get<{ items: { changes: object[] }[] }>(
      `/v1/orders/${id}/history`,
    )
    expect(body.items[0]?.changes).toEqual([{ field: `files.${document}.state`, before: 'PENDING', after: 'READY' }])
    const [usage] = await owner`select counted_bytes from sourcing.files where id = ${document}`
    expect(usage).toEqual({ counted_bytes: '14' })
  })

  test('of a case becomes FAILED with its reason, which the parties learn', async () => {
    const id = (await casesOf(maker.administrator.client).create(qualityCase({ orderId: await order() }))).body.id
    const document = await insertDocument(market, { orgId: maker.orgId, kind: 'case', recordId: id, state: 'PENDING' })
    await startCopy(document, maker.orgId)
    const [listed] = (await of(ipOwner).list('cases', id)).body.items
    expect([listed?.state, listed?.reason]).toEqual(['FAILED', 'source_changed'])
    const told = (await caseEvents(market)).filter(({ type, subject }) => subject === id && type === 'cases.updated')
    expect(told.map(({ tenantId }) => tenantId).toSorted()).toEqual(
      [consumer, ipOwner, maker].map(({ orgId }) => orgId).toSorted(),
    )
  })

  test('of a draft RFQ ends without telling others; of a published one its readers learn it', async () => {
    const id = await draft()
    const row = { orgId: consumer.orgId, kind: 'rfq', recordId: id, state: 'PENDING' } as const
    const [first, second] = [await insertDocument(market, row), await insertDocument(market, row)]
    await startCopy(first, consumer.orgId)
    expect(await causes(consumer.orgId, id)).toEqual([])
    await buyer.act(id, 'publish')
    await startCopy(second, consumer.orgId)
    for (const org of [consumer, ipOwner, maker]) {
      expect(await causes(org.orgId, id)).toEqual(['sourcing.rfq.filesChanged'])
    }
    expect(await causes(rival.orgId, id)).toEqual([])
  })

  test('of a sealed offer notifies only its manufacturer while the prices are hidden', async () => {
    const rfqId = await open({ sealed: true })
    const id = await draftOffer({}, rfqId)
    const row = { orgId: maker.orgId, kind: 'offer', recordId: id, state: 'PENDING' } as const
    const documents = [await insertDocument(market, row), await insertDocument(market, row)] as const
    const other = await insertDocument(market, row)
    await startCopy(other, maker.orgId)
    expect(await causes(maker.orgId, id)).toEqual([])
    await seller.act(id, 'submit')
    await startCopy(documents[0], maker.orgId)
    expect(await causes(maker.orgId, id)).toEqual(['sourcing.offer.filesChanged'])
    expect([await causes(consumer.orgId, id), await causes(ipOwner.orgId, id)]).toEqual([[], []])
    await buyer.act(rfqId, 'close')
    await startCopy(documents[1], maker.orgId)
    expect([await causes(consumer.orgId, id), await causes(ipOwner.orgId, id)]).toEqual([
      ['sourcing.offer.filesChanged'],
      ['sourcing.offer.filesChanged'],
    ])
  })

  test('that was copied to a revision becomes READY in both offers, and counts once', async () => {
    const id = await draftOffer()
    const document = await insertDocument(market, { orgId: maker.orgId, kind: 'offer', recordId: id, state: 'PENDING' })
    await seller.act(id, 'submit')
    const revision = (await seller.act(id, 'revise')).body.id
    const [copy] = (await of(maker).list('offers', revision)).body.items
    expect(copy?.state).toBe('PENDING')
    await startCopy(document, maker.orgId, (await of(maker).upload('solid impeller')).id)
    for (const each of [id, revision]) {
      const [listed] = (await of(maker).list('offers', each)).body.items
      expect([listed?.state, listed?.size]).toEqual(['READY', 14])
    }
    const rows = await owner`
      select counted_bytes::integer as bytes from sourcing.files where id = any(${[document, copy?.id ?? '']}) order by bytes`
    expect([...rows]).toEqual([{ bytes: 0 }, { bytes: 14 }])
  })

  test('that was copied to a submitted revision is announced with the revision', async () => {
    const id = await draftOffer()
    const document = await insertDocument(market, { orgId: maker.orgId, kind: 'offer', recordId: id, state: 'PENDING' })
    await seller.act(id, 'submit')
    const revision = (await seller.act(id, 'revise')).body.id
    await seller.act(revision, 'submit')
    await startCopy(document, maker.orgId)
    for (const { orgId } of [maker, consumer, ipOwner]) {
      expect(await causes(orgId, revision)).toEqual(['sourcing.offer.filesChanged'])
    }
  })

  test('that is removed ends its job, and the object of its upload is deleted', async () => {
    const id = await order()
    const document = await insertDocument(market, { orgId: maker.orgId, kind: 'order', recordId: id, state: 'PENDING' })
    const { id: upload } = await of(maker).upload()
    await owner`
      insert into sourcing.jobs (kind, id, tenant_id, data, created_at, due_at)
      values ('file-copy', ${document}, ${maker.orgId}, jsonb_build_object('sourceKey', ${upload}::text), now(), 'infinity')`
    await of(maker).change('orders', id, { remove: [document] })
    expect(await owner`select from sourcing.jobs where id = ${document}`).toHaveLength(0)
    const due = await owner`
      select due_at <= now() as is_due from sourcing.scheduled_deletions where object_key = ${upload} order by due_at`
    // Once more after the upload URL has expired.
    expect(due.map(({ is_due }) => is_due)).toEqual([true, false])
  })
})
