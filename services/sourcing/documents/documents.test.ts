import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Document } from '../../../proto/http/sourcing/documents.ts'
import { newId } from '../../kit/db/ids.ts'
import { casesOf, qualityCase } from '../../testing/cases.ts'
import { type Collection, documentsOf, insertDocument } from '../../testing/documents.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { insertAssignedOrder } from '../../testing/orders.ts'
import { entriesOf } from '../../testing/people.ts'

const market = await marketplaceOf(['sourcing'], { STORED_BYTES_MAX: '1000000', UPLOADS_OPEN_MAX: '1000' })
const { consumer, ipOwner, maker, stranger, partId, factory, draft, draftOffer } = await offerParties(market)
const isDocument = TypeCompiler.Compile(Document)
const strange = documentsOf(market, stranger.administrator.client)

const order = () =>
  insertAssignedOrder(market.db.owner, {
    consumerOrgId: consumer.orgId,
    ipOwnerOrgId: ipOwner.orgId,
    manufacturerOrgId: maker.orgId,
    sellerOrgId: maker.orgId,
    partId,
    factoryId: factory.id,
  })

/** A record of each kind, whose documents the organization may change. */
const RECORDS = [
  { of: 'rfqs', kind: 'rfq', org: consumer, make: () => draft() },
  { of: 'offers', kind: 'offer', org: maker, make: () => draftOffer() },
  { of: 'orders', kind: 'order', org: maker, make: order },
  {
    of: 'cases',
    kind: 'case',
    org: maker,
    make: async () => (await casesOf(maker.administrator.client).create(qualityCase())).body.id,
  },
] as const satisfies { of: Collection; kind: string; [more: string]: unknown }[]

describe.each(RECORDS.map((each) => [each.of, each] as const))('documents of %s', (_, { of, kind, org, make }) => {
  const own = documentsOf(market, org.administrator.client)
  const isDraft = of === 'rfqs' || of === 'offers'

  test('are READY with kind, size, type and hash, and are downloaded as an attachment', async () => {
    const id = await make()
    const { id: uploadId } = await own.upload('%PDF-1.7 certificate', 'certificate.exe')
    const add = [{ uploadId, kind: 'MATERIAL_CERTIFICATE', name: 'Zeugnis „3.1“.pdf' }]
    const answer = await own.change(of, id, { add })
    expect([answer.status, answer.text]).toEqual([204, ''])
    const { body, headers } = await own.list(of, id)
    const [document, ...rest] = body.items
    expect([rest, body.hasMore, headers.get('cache-control')]).toEqual([[], false, 'no-store'])
    expect(isDocument.Check(document)).toBe(true)
    expect(document).toMatchObject({
      name: 'Zeugnis „3.1“.pdf',
      kind: 'MATERIAL_CERTIFICATE',
      state: 'READY',
      orgId: org.orgId,
      size: 20,
      contentType: 'application/pdf',
      sha256: new Bun.CryptoHasher('sha256').update('%PDF-1.7 certificate').digest('hex'),
    })
    const download = await own.download(document as Document)
    expect([download.headers.get('content-disposition')?.split(';')[0], await download.text()]).toEqual([
      'attachment',
      '%PDF-1.7 certificate',
    ])
  })

  test('are listed newest first, in pages', async () => {
    const id = await make()
    const uploads = await Promise.all(['a', 'b', 'c'].map((name) => own.upload(name, name)))
    await own.change(of, id, { add: uploads.map((upload) => ({ uploadId: upload.id, kind: 'PHOTO' })) })
    expect(await own.names(of, id)).toEqual(['c', 'b', 'a'])
    const pages = await Promise.all([1, 2].map((page) => own.list(of, id, `?pageSize=2&page=${page}`)))
    expect(pages.map(({ body }) => [body.items.map(({ name }) => name), body.hasMore])).toEqual([
      [['c', 'b'], true],
      [['a'], false],
    ])
  })

  test('a PENDING and a FAILED one show their state, and have no URL', async () => {
    const id = await make()
    await insertDocument(market, { orgId: org.orgId, kind, recordId: id, state: 'PENDING' })
    await insertDocument(market, { orgId: org.orgId, kind, recordId: id })
    const { items } = (await own.list(of, id)).body
    expect(items.map(({ state, reason, downloadUrl }) => [state, reason, downloadUrl])).toEqual([
      ['FAILED', 'too_large', undefined],
      ['PENDING', undefined, undefined],
    ])
    expect(items.every((each) => isDocument.Check(each))).toBe(true)
  })

  test('are removed with their object', async () => {
    const id = await make()
    const document = await own.add(of, id)
    const [row] = await market.db.owner`select object_key from sourcing.files where id = ${document.id}`
    expect((await own.change(of, id, { remove: [document.id, document.id] })).status).toBe(204)
    expect(await own.names(of, id)).toEqual([])
    const scheduled = await market.db.owner`
      select object_key from sourcing.scheduled_deletions where object_key = ${row?.object_key} and due_at <= now()`
    expect(scheduled).toHaveLength(1)
    expect((await own.change(of, id, { remove: [document.id] })).status).toBe(400)
  })

  if (isDraft) {
    test('that are superseded in a draft are deleted, with their objects', async () => {
      const id = await make()
      const older = await own.add(of, id, { name: 'old.pdf' })
      const [row] = await market.db.owner`select object_key from sourcing.files where id = ${older.id}`
      await own.add(of, id, { name: 'new.pdf', supersedes: older.id })
      expect(await own.names(of, id)).toEqual(['new.pdf'])
      const scheduled = await market.db.owner`
        select from sourcing.scheduled_deletions where object_key = ${row?.object_key} and due_at <= now()`
      expect(scheduled).toHaveLength(1)
      const { id: uploadId } = await own.upload()
      expect((await own.change(of, id, { add: [{ uploadId, kind: 'OTHER', supersedes: older.id }] })).status).toBe(400)
    })
  } else {
    test('stay listed with the newer one that supersedes them, and count again when it is removed', async () => {
      const id = await make()
      const older = await own.add(of, id, { name: 'old.pdf' })
      const newer = await own.add(of, id, { name: 'new.pdf', supersedes: older.id })
      const supersededBy = async () => (await own.list(of, id)).body.items.map((each) => each.supersededBy)
      expect(await supersededBy()).toEqual([undefined, newer.id])
      const { id: uploadId } = await own.upload()
      const again = await own.change(of, id, { add: [{ uploadId, kind: 'OTHER', supersedes: older.id }] })
      expect([again.status, again.body.code, again.body.errors?.[0]?.field]).toEqual([
        409,
        'conflict',
        'add.0.supersedes',
      ])
      await own.change(of, id, { remove: [newer.id] })
      expect(await supersededBy()).toEqual([undefined])
      expect((await own.change(of, id, { add: [{ uploadId, kind: 'OTHER', supersedes: older.id }] })).status).toBe(204)
      const both = (await own.list(of, id)).body.items.map((each) => each.id)
      expect((await own.change(of, id, { remove: both })).status).toBe(204)
      expect(await own.names(of, id)).toEqual([])
    })
  }

  test('from a public upload are 400', async () => {
    const { id: uploadId } = await own.upload('x', 'a', true)
    const { status, body } = await own.change(of, await make(), { add: [{ uploadId, kind: 'OTHER' }] })
    expect([status, body.errors]).toEqual([400, [{ field: 'add.0.uploadId', message: 'must not be public' }]])
  })

  test('from an upload of another organization are 400 like from an unknown one; incomplete and used ones 409', async () => {
    const id = await make()
    const [theirs, unknown] = [await strange.upload(), newId('upload')]
    for (const uploadId of [theirs.id, unknown]) {
      const { status, body } = await own.change(of, id, { add: [{ uploadId, kind: 'OTHER' }] })
      const message = `there is no upload \`${uploadId}\` in your organization`
      expect([status, body.errors]).toEqual([400, [{ field: 'add.0.uploadId', message }]])
    }
    const open = await new FileClient(market, org.administrator.client).createUpload()
    expect((await own.change(of, id, { add: [{ uploadId: open.id, kind: 'OTHER' }] })).status).toBe(409)
    const add = [{ uploadId: (await own.upload()).id, kind: 'OTHER' }]
    expect((await own.change(of, id, { add })).status).toBe(204)
    expect((await own.change(of, id, { add })).body.code).toBe('conflict')
  })

  test('of another record, or of another organization, cannot be named: 400 like an unknown one', async () => {
    const [id, other] = [await make(), await make()]
    const elsewhere = await own.add(of, other)
    const foreign = await insertDocument(market, { orgId: stranger.orgId, kind, recordId: id })
    for (const named of [elsewhere.id, foreign, newId('file')]) {
      const message = `there is no document \`${named}\` of your organization in this record`
      const removal = await own.change(of, id, { remove: [named] })
      expect([removal.status, removal.body.errors]).toEqual([400, [{ field: 'remove.0', message }]])
      const { id: uploadId } = await own.upload()
      const { status, body } = await own.change(of, id, { add: [{ uploadId, kind: 'OTHER', supersedes: named }] })
      expect([status, body.errors]).toEqual([400, [{ field: 'add.0.supersedes', message }]])
    }
  })

  test('are added and removed all or nothing', async () => {
    const id = await make()
    const kept = await own.add(of, id)
    const { id: uploadId } = await own.upload()
    const add = [{ uploadId, kind: 'OTHER' }]
    expect((await own.change(of, id, { add, remove: [newId('file')] })).status).toBe(400)
    const unknown = { uploadId: newId('upload'), kind: 'OTHER' }
    expect((await own.change(of, id, { add: [...add, unknown], remove: [kept.id] })).status).toBe(400)
    expect((await own.list(of, id)).body.items.map((each) => each.id)).toEqual([kept.id])
    expect((await own.change(of, id, { add, remove: [kept.id] })).status).toBe(204)
  })

  test('are at most 100 of an organization in a record, also FAILED and superseded ones', async () => {
    const id = await make()
    const first = await own.add(of, id)
    await own.add(of, id, isDraft ? {} : { supersedes: first.id })
    for (let n = 0; n < 98; n++) await insertDocument(market, { orgId: org.orgId, kind, recordId: id })
    // Those of other organizations do not count.
    await insertDocument(market, { orgId: stranger.orgId, kind, recordId: id })
    const add = [{ uploadId: (await own.upload()).id, kind: 'OTHER' }]
    const tooMany = await own.change(of, id, { add })
    expect([tooMany.status, tooMany.body.code]).toEqual([409, 'limit_reached'])
    expect((await own.change(of, id, { add, remove: [first.id] })).status).toBe(204)
  })

  test('need file:write, which suffices', async () => {
    const id = await make()
    const { id: uploadId } = await own.upload()
    const add = [{ uploadId, kind: 'OTHER' }]
    const without = await org.member(['part:update', 'offer:submit', 'order:update', 'case:manage'])
    expect((await documentsOf(market, without.client).change(of, id, { add })).status).toBe(403)
    const writer = await org.member(['file:write'])
    expect((await documentsOf(market, writer.client).change(of, id, { add })).status).toBe(204)
  })

  test('of a record that the organization cannot read are 404 like those of an unknown one', async () => {
    const id = await make()
    const { id: uploadId } = await strange.upload()
    for (const each of [id, newId(kind)]) {
      const change = await strange.change(of, each, { add: [{ uploadId, kind: 'OTHER' }] })
      const list = await strange.list(of, each)
      expect([change.status, change.body.detail, list.status]).toEqual([
        404,
        'There is no such record, or it is outside your scope.',
        404,
      ])
    }
    expect((await market.anonymous.get(`/flows/v1/${of}/${id}/files`)).status).toBe(401)
  })

  test('are changed only if the record still has the entity tag of If-Match', async () => {
    const id = await make()
    const { id: uploadId } = await own.upload()
    const add = [{ uploadId, kind: 'OTHER' }]
    const path = of === 'cases' ? `/flows/v1/cases/${id}` : `/v1/${of}/${id}`
    const { headers } = await org.administrator.client.get(path)
    expect((await own.change(of, id, { add }, { 'if-match': '"older"' })).status).toBe(412)
    expect((await own.change(of, id, { add }, { 'if-match': headers.get('etag') ?? '' })).status).toBe(204)
  })

  test('with an older If-Match are 400 from an unknown upload, 412 from an incomplete or a used one', async () => {
    const id = await make()
    const open = await new FileClient(market, org.administrator.client).createUpload()
    const { id: used } = await own.upload()
    expect((await own.change(of, id, { add: [{ uploadId: used, kind: 'OTHER' }] })).status).toBe(204)
    for (const [uploadId, status] of [
      [newId('upload'), 400],
      [open.id, 412],
      [used, 412],
    ] as const) {
      const answer = await own.change(of, id, { add: [{ uploadId, kind: 'OTHER' }] }, { 'if-match': '"older"' })
      expect([uploadId, answer.status]).toEqual([uploadId, status])
    }
  })

  test('write an audit entry', async () => {
    const id = await make()
    const { id: uploadId } = await own.upload()
    await own.change(of, id, { add: [{ uploadId, kind: 'OTHER' }] })
    const entries = await entriesOf(market, org.orgId, `${kind}.updateFiles`)
    expect(entries.filter(({ request }) => request.id === id)).toMatchObject([
      { success: true, request: { id, add: [{ uploadId, kind: 'OTHER' }] } },
    ])
  })
})
