import { describe, expect, test } from 'bun:test'
import { documentsOf, insertDocument } from '../../testing/documents.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'
import { publishedPart } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'], { UPLOADS_OPEN_MAX: '1000' })
const { owner } = market.db
const { consumer, ipOwner, maker, rival, stranger, buyer, open, seller, draftOffer } = await offerParties(market)
const of = ({ administrator }: TestOrganization) => documentsOf(market, administrator.client)
const own = of(maker)
const readers = (id: string) =>
  Promise.all([maker, consumer, ipOwner, rival, stranger].map((org) => of(org).names('offers', id)))
const objectOf = async (id: string): Promise<string> => {
  const [row] = await owner<{ object_key: string }[]>`select object_key from sourcing.files where id = ${id}`
  return row?.object_key ?? ''
}
const isScheduled = async (key: string) =>
  (await owner`select from sourcing.scheduled_deletions where object_key = ${key} and due_at <= now()`).length > 0

/** A draft with a document. */
async function draftWith(name: string, rfqId?: string): Promise<string> {
  const id = await draftOffer({}, rfqId)
  await own.add('offers', id, { name, kind: 'QUOTE' })
  return id
}

describe('documents of an offer', () => {
  test('are read by the manufacturer alone, and after the submission by consumer and IP owner', async () => {
    const id = await draftWith('quote.pdf')
    expect(await readers(id)).toEqual([['quote.pdf'], 404, 404, 404, 404])
    await seller.act(id, 'submit')
    expect(await readers(id)).toEqual([['quote.pdf'], ['quote.pdf'], ['quote.pdf'], 404, 404])
  })

  test('of a sealed RFQ are seen by others only when the prices are', async () => {
    const rfqId = await open({ sealed: true })
    const id = await draftWith('quote.pdf', rfqId)
    await seller.act(id, 'submit')
    expect(await readers(id)).toEqual([['quote.pdf'], [], [], 404, 404])
    expect((await offersOf(consumer.administrator.client).read(id)).body.priceBreaks).toBeUndefined()
    await buyer.act(rfqId, 'close')
    expect(await readers(id)).toEqual([['quote.pdf'], ['quote.pdf'], ['quote.pdf'], 404, 404])
    await buyer.act(rfqId, 'reopen', { expireTime: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await readers(id)).toEqual([['quote.pdf'], [], [], 404, 404])
  })

  test('of a sealed offer that was withdrawn before the RFQ closed stay hidden', async () => {
    const rfqId = await open({ sealed: true })
    const id = await draftWith('quote.pdf', rfqId)
    await seller.act(id, 'submit')
    await seller.act(id, 'withdraw')
    await buyer.act(rfqId, 'close')
    expect(await readers(id)).toEqual([['quote.pdf'], [], [], 404, 404])
  })

  test('of others are 404 for an IP owner that is invited itself, until the RFQ has ended', async () => {
    const inventor = await market.organization(['IP_OWNER', 'MANUFACTURER'])
    const partId = await publishedPart(inventor.administrator.client)
    const rfqId = await open({ partId, manufacturerIds: [maker.orgId, inventor.orgId] })
    const id = await draftWith('quote.pdf', rfqId)
    await seller.act(id, 'submit')
    expect([await of(inventor).names('offers', id), await of(consumer).names('offers', id)]).toEqual([
      404,
      ['quote.pdf'],
    ])
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    expect(await of(inventor).names('offers', id)).toEqual(['quote.pdf'])
  })

  test('are changed only by the manufacturer', async () => {
    const id = await draftWith('quote.pdf')
    await seller.act(id, 'submit')
    for (const org of [consumer, ipOwner, rival]) {
      const { id: uploadId } = await of(org).upload()
      expect((await of(org).change('offers', id, { add: [{ uploadId, kind: 'OTHER' }] })).status).toBe(404)
    }
  })

  test('change only in DRAFT', async () => {
    const id = await draftOffer()
    const document = await own.add('offers', id)
    await seller.act(id, 'submit')
    const { id: uploadId } = await own.upload()
    for (const body of [{ add: [{ uploadId, kind: 'OTHER' }] }, { remove: [document.id] }]) {
      const answer = await own.change('offers', id, body)
      expect([answer.status, answer.body.detail]).toEqual([409, 'The offer is SUBMITTED, not DRAFT.'])
    }
    await seller.act(id, 'withdraw')
    expect((await own.change('offers', id, { remove: [document.id] })).status).toBe(409)
  })

  test('emit one event of the draft, and tell nobody else', async () => {
    const id = await draftWith('quote.pdf')
    const events = await owner<{ type: string; tenant_id: string }[]>`
      select type, tenant_id from sourcing.outbox where subject = ${id} or data::json -> 'cause' ->> 'id' = ${id}
      order by seq`
    expect([...events]).toEqual([
      { type: 'sourcing.offer.created', tenant_id: maker.orgId },
      { type: 'sourcing.offer.filesChanged', tenant_id: maker.orgId },
    ])
  })
})

describe('a revision of an offer', () => {
  const revised = async (id: string) => (await seller.act(id, 'revise')).body.id

  test('begins with the documents, in their order, without superseded and failed ones', async () => {
    const id = await draftOffer()
    const first = await own.add('offers', id, { name: 'a.pdf', kind: 'QUOTE' })
    await own.add('offers', id, { name: 'b.pdf', kind: 'QUOTE', supersedes: first.id })
    await own.add('offers', id, { name: 'c.pdf', kind: 'DRAWING' })
    await insertDocument(market, { orgId: maker.orgId, kind: 'offer', recordId: id })
    await seller.act(id, 'submit')
    const { items } = (await own.list('offers', await revised(id))).body
    expect(items.map(({ name, kind, state, orgId }) => [name, kind, state, orgId])).toEqual([
      ['c.pdf', 'DRAWING', 'READY', maker.orgId],
      ['b.pdf', 'QUOTE', 'READY', maker.orgId],
    ])
    const [newest] = items
    expect(newest && (await (await own.download(newest)).text())).toBe('solid')
  })

  test('changes its documents, and the submitted offer keeps its own', async () => {
    const id = await draftWith('quote.pdf')
    await seller.act(id, 'submit')
    const revision = await revised(id)
    const [copy] = (await own.list('offers', revision)).body.items
    const key = await objectOf(copy?.id ?? '')
    await own.change('offers', revision, { remove: [copy?.id] })
    expect([await own.names('offers', revision), await own.names('offers', id)]).toEqual([[], ['quote.pdf']])
    expect(await isScheduled(key)).toBe(false)
    const [kept] = (await own.list('offers', id)).body.items
    expect(kept && (await (await own.download(kept)).text())).toBe('solid')
  })

  test('does not count the bytes of its documents again', async () => {
    const stored = async () => {
      const [row] = await owner<{ stored_bytes: string }[]>`
        select stored_bytes from sourcing.storage_usage where org_id = ${maker.orgId}`
      return Number(row?.stored_bytes)
    }
    const id = await draftWith('quote.pdf')
    await seller.act(id, 'submit')
    const before = await stored()
    const revision = await revised(id)
    expect(await stored()).toBe(before)
    const [copy] = (await own.list('offers', revision)).body.items
    await own.change('offers', revision, { remove: [copy?.id] })
    expect(await stored()).toBe(before)
  })

  test('of a revision copies the documents of the revision', async () => {
    const id = await draftWith('first.pdf')
    await seller.act(id, 'submit')
    const second = await revised(id)
    await own.add('offers', second, { name: 'second.pdf' })
    await seller.act(second, 'submit')
    const third = await revised(second)
    expect(await own.names('offers', third)).toEqual(['second.pdf', 'first.pdf'])
    const [, copy] = (await own.list('offers', third)).body.items
    const [original] = (await own.list('offers', id)).body.items
    expect(await objectOf(copy?.id ?? '')).toBe(await objectOf(original?.id ?? ''))
  })
})
