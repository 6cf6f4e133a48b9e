import { expect, test } from 'bun:test'
import { documentsOf } from '../../testing/documents.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, buyer, draft, submittedOffer, seller } = await offerParties(market)
const of = ({ administrator }: TestOrganization) => documentsOf(market, administrator.client)
const own = of(consumer)
const amend = (id: string, files: object) => buyer.act(id, 'amend', { reason: 'A corrected drawing.', files })

test('an amendment adds, supersedes and removes documents of an OPEN RFQ, and makes its next version', async () => {
  const id = await draft()
  const old = await own.add('rfqs', id, { name: 'old.pdf', kind: 'DRAWING' })
  const wrong = await own.add('rfqs', id, { name: 'wrong.pdf' })
  await buyer.act(id, 'publish')
  const offer = await submittedOffer({}, id)
  const { id: uploadId } = await own.upload('corrected', 'new.pdf')
  const files = { add: [{ uploadId, kind: 'DRAWING', supersedes: old.id }], remove: [wrong.id] }
  const answer = await amend(id, files)
  expect([answer.status, answer.body.version]).toEqual([200, 2])
  for (const by of [consumer, ipOwner, maker]) {
    const { body } = await of(by).list('rfqs', id)
    expect(body.items.map(({ name, supersededBy }) => [name, supersededBy === body.items[0]?.id])).toEqual([
      ['new.pdf', false],
      ['old.pdf', true],
    ])
  }
  expect((await seller.read(offer)).body.isOutdated).toBe(true)
})

test('a refused amendment names the fields of the documents and changes nothing', async () => {
  const id = await draft()
  await own.add('rfqs', id, { name: 'old.pdf' })
  await buyer.act(id, 'publish')
  const shared = await own.upload('public', 'public.pdf', true)
  const foreign = await of(ipOwner).upload()
  for (const [files, field] of [
    [{}, 'files'],
    [{ add: [{ uploadId: 'upload_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', kind: 'OTHER' }] }, 'files.add.0.uploadId'],
    [{ add: [{ uploadId: foreign.id, kind: 'OTHER' }] }, 'files.add.0.uploadId'],
    [{ add: [{ uploadId: shared.id, kind: 'OTHER' }] }, 'files.add.0.uploadId'],
    [{ remove: ['file_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }, 'files.remove.0'],
  ] as const) {
    const { status, body } = await amend(id, files)
    expect([status, body.errors?.map((error) => error.field)]).toEqual([400, [field]])
    expect(body.detail).toStartWith(`${field}: `)
  }
  expect((await buyer.read(id)).body.version).toBe(1)
  expect(await own.names('rfqs', id)).toEqual(['old.pdf'])
})

test('the documents of an RFQ that is not OPEN are not amended', async () => {
  const id = await draft()
  const { id: uploadId } = await own.upload()
  const files = { add: [{ uploadId, kind: 'OTHER' }] }
  expect((await amend(id, files)).status).toBe(409)
  await buyer.act(id, 'publish')
  await buyer.act(id, 'close')
  expect((await amend(id, files)).status).toBe(409)
  expect(await own.names('rfqs', id)).toEqual([])
})

test('an amendment with an older If-Match is 412, before 409 for an upload that is not complete', async () => {
  const id = await draft()
  await buyer.act(id, 'publish')
  const { id: uploadId } = await new FileClient(market, consumer.administrator.client).createUpload()
  const body = { reason: 'A corrected drawing.', files: { add: [{ uploadId, kind: 'OTHER' }] } }
  expect((await buyer.act(id, 'amend', body, { 'if-match': '"older"' })).status).toBe(412)
  const answer = await buyer.act(id, 'amend', body)
  expect([answer.status, answer.body.errors?.map(({ field }) => field)]).toEqual([409, ['files.add.0.uploadId']])
})
