import { expect, setDefaultTimeout, test } from 'bun:test'
import { casesOf, qualityCase } from '../../testing/cases.ts'
import { documentsOf, insertDocument } from '../../testing/documents.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'

setDefaultTimeout(120_000)
const market = await marketplaceOf(['sourcing'], { ...RACING, UPLOADS_OPEN_MAX: '1000' })
const { maker, place } = await orderParties(market)
const made = documentsOf(market, maker.administrator.client)
const makes = ordersOf(maker.administrator.client)
const ROUNDS = 20

const addition = async () => ({ add: [{ uploadId: (await made.upload()).id, kind: 'OTHER' }] })
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted()

test('of two documents that are added at the same time at the limit one is 409', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place()
    for (let n = 0; n < 99; n++) {
      await insertDocument(market, { orgId: maker.orgId, kind: 'order', recordId: id })
    }
    const [first, second] = [await addition(), await addition()]
    const answers = await Promise.all([made.change('orders', id, first), made.change('orders', id, second)])
    expect(statuses(answers)).toEqual([204, 409])
    const [row] = await market.db
      .owner`select count(*)::integer as documents from sourcing.files where record_id = ${id}`
    expect(row).toEqual({ documents: 100 })
  }
})

test('a required document that is removed while the order is shipped is removed before, or stays', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place({ state: 'INSPECTION' })
    await market.db.owner`
      insert into sourcing.rfqs (id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state,
        terms, manufacturer_ids, expires_at, created_at, updated_at, published_at)
      select rfq_id, 'R-' || right(rfq_id, 8), part_id, 'P-00000000', consumer_org_id, ip_owner_org_id, 'AWARDED',
        '{"requiredDocuments":["OTHER"]}', '{}', now(), now(), now(), now()
      from sourcing.orders where id = ${id}`
    const document = await made.add('orders', id)
    const [removed, shipped] = await Promise.all([
      made.change('orders', id, { remove: [document.id] }),
      makes.act(id, 'ship'),
    ])
    outcomes.add(`${removed.status} ${shipped.status}`)
    const isKept = (await made.list('orders', id)).body.items.length === 1
    expect([removed.status, shipped.status, isKept]).toEqual(
      removed.status === 204 ? [204, 409, false] : [409, 200, true],
    )
  }
  expect(outcomes.size).toBeGreaterThan(0)
})

test('of two documents that supersede one at the same time one is 409', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place()
    const { id: supersedes } = await made.add('orders', id)
    const bodies = await Promise.all(
      [1, 2].map(async () => ({ add: [{ uploadId: (await made.upload()).id, kind: 'OTHER', supersedes }] })),
    )
    expect(statuses(await Promise.all(bodies.map((body) => made.change('orders', id, body))))).toEqual([204, 409])
    expect((await made.list('orders', id)).body.items).toHaveLength(2)
  }
})

test('of two removals of a document at the same time one is 400', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await place()
    const { id: document } = await made.add('orders', id)
    const answers = await Promise.all([1, 2].map(() => made.change('orders', id, { remove: [document] })))
    expect(statuses(answers)).toEqual([204, 400])
  }
})

test('a document that is added while the case is closed comes before it, or is 409', async () => {
  const cases = casesOf(maker.administrator.client)
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = (await cases.create(qualityCase())).body
    const body = await addition()
    const [added, closed] = await Promise.all([made.change('cases', id, body), cases.act(id, 'close')])
    expect([204, 409]).toContain(added.status)
    expect(closed.status).toBe(200)
    expect((await made.list('cases', id)).body.items).toHaveLength(added.status === 204 ? 1 : 0)
  }
})

test('one upload that is added to two records at the same time is in one of them', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const [id, other] = [await place(), await place()]
    const body = await addition()
    const answers = await Promise.all([id, other].map((each) => made.change('orders', each, body)))
    expect(statuses(answers)).toEqual([204, 409])
  }
})
