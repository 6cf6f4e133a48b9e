import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { InboxItem } from '../../../proto/http/sourcing/inbox.ts'
import { awardsOf } from '../../testing/awards.ts'
import { changesOf } from '../../testing/change-requests.ts'
import { insertDocument } from '../../testing/documents.ts'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { questionsOf, TO_ASKER } from '../../testing/questions.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { shipmentsOf } from '../../testing/shipments.ts'
import { subscriptionsOf } from '../../testing/subscriptions.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { owner } = market.db
const parties = await offerParties(market)
const { consumer, ipOwner, maker, rival, rivalFactory, stranger, buyer, open, seller, submittedOffer } = parties
const of = ({ administrator }: TestOrganization) => inboxOf(administrator.client)
const both = { manufacturerIds: [maker.orgId, rival.orgId] }
const isItem = TypeCompiler.Compile(InboxItem)

/** The kinds about a record for each organization that has any. */
async function waiting(id: string): Promise<Record<string, string[]>> {
  const everyone = Object.entries({ consumer, ipOwner, maker, rival, stranger })
  const kinds = await Promise.all(everyone.map(async ([name, org]) => [name, await of(org).kinds(id)] as const))
  return Object.fromEntries(kinds.filter(([, found]) => found.length > 0))
}

/** An order of `maker` after verbs of its manufacturer, for an RFQ with these terms. */
async function ordered(more: object = {}, ...verbs: string[]) {
  const rfqId = await open({ ...both, ...more })
  await awardsOf(consumer.administrator.client).accept(await submittedOffer({}, rfqId), { quantity: 10 })
  const [order] = await owner<{ id: string }[]>`select id from sourcing.orders where rfq_id = ${rfqId}`
  const id = order?.id as string
  for (const verb of verbs) {
    const { status, text } = await ordersOf(maker.administrator.client).act(id, verb)
    if (status !== 200) throw new Error(text)
  }
  return { rfqId, id }
}

/** An order of `maker` and the offer of `rival` that lost against it. */
async function orderedWithLoser() {
  const rfqId = await open(both)
  const offers = offersOf(rival.administrator.client)
  const lost = (await offers.create(offerBody(rfqId, rivalFactory.id))).body.id
  await offers.act(lost, 'submit')
  await awardsOf(consumer.administrator.client).accept(await submittedOffer({}, rfqId), { quantity: 10 })
  const [order] = await owner<{ id: string }[]>`select id from sourcing.orders where rfq_id = ${rfqId}`
  return { rfqId, lost, id: order?.id as string }
}

describe('an invitation', () => {
  test('waits for each invited manufacturer until it submits an offer or declines', async () => {
    const rfqId = await open(both)
    expect(await waiting(rfqId)).toEqual({ maker: ['INVITATION'], rival: ['INVITATION'] })
    const [item] = await of(maker).about(rfqId)
    expect(isItem.Check(item)).toBe(true)
    const { expireTime } = (await buyer.read(rfqId)).body
    expect(item).toEqual({
      kind: 'INVITATION',
      record: { type: 'rfq', id: rfqId },
      title: 'Impeller',
      since: expect.any(String),
      due: expireTime,
    } as unknown as InboxItem)
    await rfqsOf(rival.administrator.client).act(rfqId, 'decline')
    await submittedOffer({}, rfqId)
    expect(await waiting(rfqId)).toEqual({ consumer: ['OFFERS_TO_COMPARE'] })
  })

  test('does not wait before the publication, nor after the end of the RFQ', async () => {
    const { id } = (await buyer.create(rfqBody(await publishedPart(ipOwner.administrator.client), both))).body
    expect(await waiting(id)).toEqual({})
    await buyer.act(id, 'publish')
    await buyer.act(id, 'cancel', { reason: 'Sold.' })
    expect(await waiting(id)).toEqual({})
  })
})

describe('offers to compare', () => {
  test('wait from the newest offer on, until the award; not without an offer', async () => {
    const rfqId = await open(both)
    const first = await submittedOffer({}, rfqId)
    const [one] = await of(consumer).about(rfqId)
    await submittedOffer({}, rfqId)
    const [two, ...more] = await of(consumer).about(rfqId)
    expect([one?.kind, two?.kind, more]).toEqual(['OFFERS_TO_COMPARE', 'OFFERS_TO_COMPARE', []])
    expect((two?.since as string) > (one?.since as string)).toBe(true)
    await buyer.act(rfqId, 'close')
    expect(await of(consumer).kinds(rfqId)).toEqual(['OFFERS_TO_COMPARE'])
    await awardsOf(consumer.administrator.client).accept(first, { quantity: 10 })
    expect(await of(consumer).kinds(rfqId)).toEqual([])
  })

  test('of a sealed RFQ that is OPEN do not show', async () => {
    const rfqId = await open({ ...both, sealed: true })
    await submittedOffer({}, rfqId)
    expect(await of(consumer).kinds(rfqId)).toEqual([])
    await buyer.act(rfqId, 'close')
    expect(await of(consumer).kinds(rfqId)).toEqual(['OFFERS_TO_COMPARE'])
  })

  test('that were withdrawn do not wait', async () => {
    const rfqId = await open(both)
    await seller.act(await submittedOffer({}, rfqId), 'withdraw')
    expect(await of(consumer).kinds(rfqId)).toEqual([])
  })
})

test('an outdated offer waits for its manufacturer alone, until it is reconfirmed or the RFQ closes', async () => {
  const amended = async () => {
    const rfqId = await open(both)
    const offerId = await submittedOffer({}, rfqId)
    await buyer.act(rfqId, 'amend', { quantities: [10], reason: 'Fewer.' })
    return { rfqId, offerId }
  }
  const { rfqId, offerId } = await amended()
  expect(await waiting(offerId)).toEqual({ maker: ['OUTDATED_OFFER'] })
  const [item] = await of(maker).about(offerId)
  expect([item?.parent, item?.title, isItem.Check(item)]).toEqual([{ type: 'rfq', id: rfqId }, 'Impeller', true])
  await seller.act(offerId, 'reconfirm')
  expect(await waiting(offerId)).toEqual({})
  const other = await amended()
  await buyer.act(other.rfqId, 'close')
  expect(await waiting(other.offerId)).toEqual({})
})

describe('a question', () => {
  test('waits for consumer and IP owner until it is answered, and shows no asker', async () => {
    const rfqId = await open({ manufacturerIds: [maker.orgId] })
    const { id } = (await questionsOf(maker.administrator.client).ask(rfqId)).body
    const second = (await questionsOf(maker.administrator.client).ask(rfqId, 'Why?')).body.id
    expect(await waiting(rfqId)).toEqual({ consumer: ['QUESTION'], ipOwner: ['QUESTION'], maker: ['INVITATION'] })
    for (const org of [consumer, ipOwner]) {
      const [item] = await of(org).about(rfqId)
      expect([item?.title, isItem.Check(item)]).toEqual(['Impeller', true])
      expect(JSON.stringify(item)).not.toContain(maker.orgId)
    }
    await questionsOf(consumer.administrator.client).answer(rfqId, id, TO_ASKER)
    expect(await of(ipOwner).kinds(rfqId)).toEqual(['QUESTION'])
    await questionsOf(ipOwner.administrator.client).dismiss(rfqId, second)
    expect(await waiting(rfqId)).toEqual({ maker: ['INVITATION'] })
  })

  test('does not wait for an IP owner that is invited itself', async () => {
    const owning = await market.organization(['IP_OWNER', 'MANUFACTURER'])
    const part = await publishedPart(owning.administrator.client)
    const { id } = (await buyer.create(rfqBody(part, { manufacturerIds: [maker.orgId, owning.orgId] }))).body
    await buyer.act(id, 'publish')
    await questionsOf(maker.administrator.client).ask(id)
    expect(await of(owning).kinds(id)).toEqual(['INVITATION'])
  })

  test('of a consumer that is the IP owner waits once, with either permission', async () => {
    const part = await publishedPart(ipOwner.administrator.client)
    const own = rfqsOf(ipOwner.administrator.client)
    const { id } = (await own.create(rfqBody(part, { manufacturerIds: [maker.orgId] }))).body
    await own.act(id, 'publish')
    await questionsOf(maker.administrator.client).ask(id)
    expect(await of(ipOwner).kinds(id)).toEqual(['QUESTION'])
    for (const permission of ['rfq:create', 'part:update'] as const) {
      const { client } = await ipOwner.member([permission])
      expect(await inboxOf(client).kinds(id)).toEqual(['QUESTION'])
    }
  })
})

test('a changed part waits for the consumer alone, until the RFQ has the new revision', async () => {
  const part = await publishedPart(ipOwner.administrator.client)
  const { id } = (await buyer.create(rfqBody(part, both))).body
  await buyer.act(id, 'publish')
  await ipOwner.administrator.client.send('PATCH', `/flows/v1/parts/${part}`, { body: { title: 'Impeller B' } })
  await until(async () => (await of(consumer).kinds(id)).includes('PART_CHANGED'))
  expect(await waiting(id)).toEqual({ consumer: ['PART_CHANGED'], maker: ['INVITATION'], rival: ['INVITATION'] })
  await buyer.act(id, 'amend', { partRevision: 'CURRENT', reason: 'New hub.' })
  expect(await of(consumer).kinds(id)).toEqual([])
})

describe('an order', () => {
  test('waits for its manufacturer until it is confirmed or declined', async () => {
    const { id } = await ordered()
    expect(await waiting(id)).toEqual({ maker: ['ORDER_TO_CONFIRM'] })
    const [item] = await of(maker).about(id)
    expect([item?.title, isItem.Check(item)]).toEqual(['Impeller', true])
    await ordersOf(maker.administrator.client).act(id, 'confirm')
    expect(await waiting(id)).toEqual({})
  })

  test('waits for documents that the RFQ requires, from its confirmation until they are READY', async () => {
    const terms = { requiredDocuments: ['MATERIAL_CERTIFICATE', 'INSPECTION_REPORT'] }
    const { id } = await ordered(terms)
    expect(await of(maker).kinds(id)).toEqual(['ORDER_TO_CONFIRM'])
    await ordersOf(maker.administrator.client).act(id, 'confirm')
    expect(await waiting(id)).toEqual({ maker: ['DOCUMENTS_MISSING'] })
    const { dueDate } = (await ordersOf(maker.administrator.client).read(id)).body
    expect((await of(maker).about(id))[0]?.due).toBe(`${dueDate}T23:59:59.999Z`)
    const row = { orgId: maker.orgId, kind: 'order', recordId: id } as const
    const first = await insertDocument(market, { ...row, documentKind: 'MATERIAL_CERTIFICATE', state: 'PENDING' })
    const second = await insertDocument(market, { ...row, documentKind: 'INSPECTION_REPORT', state: 'PENDING' })
    const setReady = (fileId: string) => owner`
      update sourcing.files set state = 'READY', object_key = ${fileId}, size_bytes = 1, content_type = 'a/b', sha256 = 'c'
      where id = ${fileId}`
    await setReady(first)
    expect(await of(maker).kinds(id)).toEqual(['DOCUMENTS_MISSING'])
    await setReady(second)
    expect(await of(maker).kinds(id)).toEqual([])
    await owner`delete from sourcing.files where id = ${first}`
    expect(await of(maker).kinds(id)).toEqual(['DOCUMENTS_MISSING'])
  })

  test('waits for no document of the consumer, and not while it is on hold or cancelled', async () => {
    const { id } = await ordered({ requiredDocuments: ['PHOTO'] }, 'confirm')
    await insertDocument(market, { orgId: consumer.orgId, kind: 'order', recordId: id, documentKind: 'PHOTO' })
    expect(await of(maker).kinds(id)).toEqual(['DOCUMENTS_MISSING'])
    await ordersOf(maker.administrator.client).act(id, 'hold', { reason: 'Powder.' })
    expect(await of(maker).kinds(id)).toEqual([])
  })

  test('of which a shipment is under way waits for its consumer until the shipment is received', async () => {
    const { id } = await ordered({}, 'confirm', 'start')
    const sent = shipmentsOf(maker.administrator.client)
    const { body: shipment } = await sent.create(id, { quantity: 1 })
    expect(await waiting(id)).toEqual({ consumer: ['SHIPMENT_TO_RECEIVE'] })
    const [item] = await of(consumer).about(id)
    expect([item?.record, item?.title]).toEqual([{ type: 'shipment', id: shipment.id }, 'Impeller'])
    await sent.create(id, { quantity: 9 })
    expect((await waiting(id)).consumer).toEqual(['SHIPMENT_TO_RECEIVE', 'SHIPMENT_TO_RECEIVE'])
    // The arrival that the manufacturer records is no receipt.
    await ordersOf(maker.administrator.client).act(id, 'deliver')
    expect((await waiting(id)).consumer).toHaveLength(2)
    const receipt = { acceptedQuantity: 0, rejectedQuantity: 1 }
    await shipmentsOf(consumer.administrator.client).receive(id, shipment.id, receipt)
    expect(await waiting(id)).toEqual({ maker: ['REJECTION_TO_ANSWER'], consumer: ['SHIPMENT_TO_RECEIVE'] })
    await ordersOf(maker.administrator.client).act(id, 'remake', { quantity: 1 })
    expect((await waiting(id)).maker).toBeUndefined()
    expect((await waiting(id)).consumer?.toSorted()).toEqual(['REMAKE_TO_DECIDE', 'SHIPMENT_TO_RECEIVE'])
    await ordersOf(consumer.administrator.client).act(id, 'decline-remake')
    await ordersOf(consumer.administrator.client).act(id, 'complete', { settle: true })
    expect((await waiting(id)).consumer).toEqual(['SHIPMENT_TO_RECEIVE'])
  })

  test('with a proposed change waits for the side that decides it', async () => {
    const { id } = await ordered({}, 'confirm')
    const [bought, made] = [changesOf(consumer.administrator.client), changesOf(maker.administrator.client)]
    const { body: mine } = await bought.create(id, { dueDate: '2031-06-24' })
    expect(await waiting(id)).toEqual({ maker: ['CHANGE_TO_DECIDE'] })
    const { body: theirs } = await made.create(id, { quantity: 9 })
    expect(await waiting(id)).toEqual({ maker: ['CHANGE_TO_DECIDE'], consumer: ['CHANGE_TO_DECIDE'] })
    await made.act(id, mine.id, 'decline')
    await bought.act(id, theirs.id, 'accept')
    expect(await waiting(id)).toEqual({})
  })

  test('that is declined leaves the quantity or the RFQ to its consumer, and asks the losing maker', async () => {
    const { id, rfqId, lost } = await orderedWithLoser()
    await ordersOf(maker.administrator.client).act(id, 'decline', { reason: 'Powder.' })
    expect(await waiting(rfqId)).toEqual({ consumer: ['OFFERS_TO_COMPARE'], rival: ['OFFER_TO_REINSTATE'] })
    const [item] = await of(rival).about(lost)
    expect([item?.kind, item?.parent?.id, item?.title]).toEqual(['OFFER_TO_REINSTATE', rfqId, 'Impeller'])
    await offersOf(rival.administrator.client).act(lost, 'reinstate')
    expect(await of(rival).kinds(lost)).toEqual([])
  })
})

test('a sales agreement waits for the organization that did not propose it', async () => {
  const [making, selling] = await Promise.all([market.organization(['MANUFACTURER']), market.organization(['SELLER'])])
  const body = { manufacturerOrgId: making.orgId, sellerOrgId: selling.orgId, feePercent: '2.5' }
  for (const [proposer, other] of [
    [making, selling],
    [selling, making],
  ] as const) {
    const client = proposer.administrator.client
    const { id } = (await client.post<{ id: string }>('/flows/v1/sales-agreements', body)).body
    expect([await of(proposer).kinds(id), await of(other).kinds(id)]).toEqual([[], ['AGREEMENT_TO_ACCEPT']])
    await other.administrator.client.post(`/flows/v1/sales-agreements/${id}/end`)
    expect(await of(other).kinds(id)).toEqual([])
  }
})

test('a request for a subscription waits for the IP owner until it decides', async () => {
  const part = await publishedPart(ipOwner.administrator.client, { requireSubscription: true })
  const { id } = (await subscriptionsOf(consumer.administrator.client).create({ partId: part })).body
  expect(await waiting(id)).toEqual({ ipOwner: ['SUBSCRIPTION_REQUEST'] })
  const [item] = await of(ipOwner).about(id)
  expect([item?.title, isItem.Check(item)]).toEqual(['Impeller', true])
  await subscriptionsOf(ipOwner.administrator.client).act(id, 'accept')
  expect(await waiting(id)).toEqual({})
})
