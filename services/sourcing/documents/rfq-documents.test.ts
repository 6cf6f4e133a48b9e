import { describe, expect, test } from 'bun:test'
import { documentsOf } from '../../testing/documents.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'], { UPLOADS_OPEN_MAX: '1000' })
const { owner } = market.db
const { consumer, ipOwner, maker, rival, stranger, buyer, draft } = await rfqParties(market)
const of = ({ administrator }: TestOrganization) => documentsOf(market, administrator.client)
const own = of(consumer)

interface Entry {
  kind: string
  changes: { field: string; before?: unknown; after?: unknown }[]
}
const historyOf = async (by: TestOrganization, id: string) =>
  (await by.administrator.client.get<{ items: Entry[] }>(`/v1/rfqs/${id}/history?pageSize=50`)).body.items
const aboutFiles = (entries: readonly Entry[]) =>
  entries.flatMap(({ kind, changes }) =>
    changes.filter(({ field }) => field.startsWith('files.')).map((change) => ({ kind, ...change })),
  )
const readers = async (id: string) =>
  Promise.all([consumer, ipOwner, maker, rival, stranger].map((org) => of(org).names('rfqs', id)))

describe('documents of an RFQ', () => {
  test('are read by the consumer alone, and from the publication on by the IP owner and each invitee', async () => {
    const id = await draft()
    await own.add('rfqs', id, { name: 'drawing.pdf', kind: 'DRAWING' })
    expect(await readers(id)).toEqual([['drawing.pdf'], 404, 404, 404, 404])
    await buyer.act(id, 'publish')
    expect(await readers(id)).toEqual([['drawing.pdf'], ['drawing.pdf'], ['drawing.pdf'], 404, 404])
  })

  test('are changed only by the consumer', async () => {
    const id = await draft()
    for (const org of [ipOwner, maker, rival]) {
      const { id: uploadId } = await of(org).upload()
      expect((await of(org).change('rfqs', id, { add: [{ uploadId, kind: 'OTHER' }] })).status).toBe(404)
    }
  })

  test.each(['publish', 'close', 'cancel'])('are fixed after %s: 409', async (last) => {
    const id = await draft()
    const document = await own.add('rfqs', id)
    if (last !== 'cancel') await buyer.act(id, 'publish')
    if (last === 'close') await buyer.act(id, 'close')
    if (last === 'cancel') await buyer.act(id, 'cancel', { reason: 'Sold.' })
    const { id: uploadId } = await own.upload()
    for (const body of [{ add: [{ uploadId, kind: 'OTHER' }] }, { remove: [document.id] }]) {
      const answer = await own.change('rfqs', id, body)
      expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
    }
    // An invitee that can read the RFQ cannot change it.
    if (last === 'publish') {
      const theirs = await of(maker).upload()
      const add = [{ uploadId: theirs.id, kind: 'OTHER' }]
      expect((await of(maker).change('rfqs', id, { add })).status).toBe(404)
    }
  })

  test('are in its history by their public names', async () => {
    const id = await draft()
    const first = await own.add('rfqs', id, { name: 'old.pdf', kind: 'DRAWING' })
    const newer = await own.add('rfqs', id, { name: 'new.pdf', kind: 'DRAWING', supersedes: first.id })
    const added = (document: string, name: string) => [
      { kind: 'UPDATE', field: `files.${document}.name`, after: name },
      { kind: 'UPDATE', field: `files.${document}.kind`, after: 'DRAWING' },
      { kind: 'UPDATE', field: `files.${document}.state`, after: 'READY' },
    ]
    // A document that is superseded in a draft is deleted.
    expect(aboutFiles(await historyOf(consumer, id))).toEqual([
      { kind: 'UPDATE', field: `files.${first.id}.name`, before: 'old.pdf' },
      { kind: 'UPDATE', field: `files.${first.id}.kind`, before: 'DRAWING' },
      { kind: 'UPDATE', field: `files.${first.id}.state`, before: 'READY' },
      ...added(newer.id, 'new.pdf'),
      ...added(first.id, 'old.pdf'),
    ])
  })

  test("that were removed or superseded before the publication are the consumer's alone, in its history", async () => {
    const id = await draft()
    const removed = await own.add('rfqs', id, { name: 'secret.pdf' })
    await own.change('rfqs', id, { remove: [removed.id] })
    const target = await own.add('rfqs', id, { name: 'target-price.pdf' })
    const kept = await own.add('rfqs', id, { name: 'drawing.pdf', kind: 'DRAWING', supersedes: target.id })
    await buyer.act(id, 'publish')
    expect((await readers(id)).slice(0, 3)).toEqual([['drawing.pdf'], ['drawing.pdf'], ['drawing.pdf']])
    for (const org of [ipOwner, maker]) {
      const entries = await historyOf(org, id)
      expect(entries.map(({ kind }) => kind)).toEqual(['CREATE'])
      expect(aboutFiles(entries)).toEqual([
        { kind: 'CREATE', field: `files.${kept.id}.name`, after: 'drawing.pdf' },
        { kind: 'CREATE', field: `files.${kept.id}.kind`, after: 'DRAWING' },
        { kind: 'CREATE', field: `files.${kept.id}.state`, after: 'READY' },
      ])
    }
    expect(JSON.stringify(await historyOf(consumer, id))).toContain('secret.pdf')
  })

  test('emit one event for the consumer, and none of a case', async () => {
    const id = await draft()
    await own.add('rfqs', id)
    const events = await owner<{ type: string; tenant_id: string }[]>`
      select type, tenant_id from sourcing.outbox where subject = ${id} or data::json -> 'cause' ->> 'id' = ${id}
      order by seq`
    expect([...events]).toEqual([
      { type: 'sourcing.rfq.created', tenant_id: consumer.orgId },
      { type: 'sourcing.rfq.filesChanged', tenant_id: consumer.orgId },
    ])
  })

  test('change the time of the draft, so that a publication with an older entity tag is 412', async () => {
    const id = await draft()
    const tag = (await buyer.read(id)).headers.get('etag') ?? ''
    await own.add('rfqs', id)
    expect((await buyer.act(id, 'publish', undefined, { 'if-match': tag })).status).toBe(412)
  })

  test('are deleted with the draft, and so are their objects', async () => {
    const id = await draft()
    await own.add('rfqs', id)
    await own.add('rfqs', id)
    const rows = await owner<{ object_key: string }[]>`select object_key from sourcing.files where record_id = ${id}`
    const keys = rows.map(({ object_key }) => object_key)
    expect((await buyer.remove(id)).status).toBe(204)
    expect(await own.names('rfqs', id)).toBe(404)
    expect(await owner`select from sourcing.files where record_id = ${id}`).toHaveLength(0)
    const scheduled = await owner`
      select from sourcing.scheduled_deletions where object_key = any(${keys}) and due_at <= now()`
    expect([keys.length, scheduled.length]).toEqual([2, 2])
  })

  test('are 404 for an invitee that declined, which reads only what the RFQ was', async () => {
    const id = await draft()
    await own.add('rfqs', id, { name: 'drawing.pdf' })
    await buyer.act(id, 'publish')
    await rfqsOf(maker.administrator.client).act(id, 'decline')
    const { status } = await rfqsOf(maker.administrator.client).read(id)
    expect([status, await of(maker).names('rfqs', id)]).toEqual([200, 404])
  })
})
