import { expect, test } from 'bun:test'
import { caseEventsOf } from '../../testing/cases.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { questionsOf, TO_ALL, TO_ASKER } from '../../testing/questions.ts'
import { publishedPart, rfqBody, rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, maker, buyer } = await rfqParties(market)
/** Owns the part, and makes it too. */
const owner = await market.organization(['IP_OWNER', 'MANUFACTURER', 'CONSUMER'])
const asker = questionsOf(maker.administrator.client)
const owning = questionsOf(owner.administrator.client)
const buying = questionsOf(consumer.administrator.client)
const partId = await publishedPart(owner.administrator.client)

async function openTo(...manufacturerIds: string[]): Promise<string> {
  const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds }))).body
  await buyer.act(id, 'publish')
  return id
}

test('an IP owner that is invited itself neither answers, dismisses nor clarifies: 404', async () => {
  const rfqId = await openTo(maker.orgId, owner.orgId)
  const { id } = (await asker.ask(rfqId)).body
  expect((await owning.answer(rfqId, id)).status).toBe(404)
  expect((await owning.answer(rfqId, id, TO_ALL)).status).toBe(404)
  expect((await owning.dismiss(rfqId, id)).status).toBe(404)
  expect((await owning.clarify(rfqId)).status).toBe(404)
  expect((await buying.answer(rfqId, id)).status).toBe(200)
})

test('it reads what an invitee reads and its own questions, and is told no more', async () => {
  const rfqId = await openTo(maker.orgId, owner.orgId)
  const events = await caseEventsOf(market, async () => {
    const [first, second] = [(await asker.ask(rfqId)).body.id, (await asker.ask(rfqId)).body.id]
    await buying.answer(rfqId, first, TO_ASKER)
    await buying.dismiss(rfqId, second)
  })
  expect(events.map(({ tenantId }) => tenantId)).not.toContain(owner.orgId)
  expect((await owning.list(rfqId)).body.items).toEqual([])
  const third = (await asker.ask(rfqId)).body.id
  const own = (await owning.ask(rfqId, 'Own?')).body
  await buying.answer(rfqId, third, TO_ALL)
  const { items } = (await owning.list(rfqId)).body
  expect(items.map(({ text, publishedText }) => [text, publishedText])).toEqual([
    [undefined, TO_ALL.publishedText],
    ['Own?', undefined],
  ])
  expect(JSON.stringify(items)).not.toContain(maker.orgId)
  expect(items[1]).toEqual(own)
})

test('after its decline it is no answerer either, and reads its own questions alone', async () => {
  const rfqId = await openTo(maker.orgId, owner.orgId)
  const { id } = (await asker.ask(rfqId)).body
  await rfqsOf(owner.administrator.client).act(rfqId, 'decline')
  expect((await owning.answer(rfqId, id)).status).toBe(404)
  const events = await caseEventsOf(market, () => buying.answer(rfqId, id, TO_ALL))
  expect(events.map(({ tenantId }) => tenantId)).not.toContain(owner.orgId)
  expect((await owning.list(rfqId)).body.items).toEqual([])
})

test('an IP owner that is not invited answers, until it is invited', async () => {
  const rfqId = await openTo(maker.orgId)
  const [first, second] = [(await asker.ask(rfqId)).body.id, (await asker.ask(rfqId)).body.id]
  expect((await owning.answer(rfqId, first)).status).toBe(200)
  await buyer.act(rfqId, 'invite', { manufacturerIds: [owner.orgId] })
  expect((await owning.answer(rfqId, second)).status).toBe(404)
  expect((await owning.list(rfqId)).body.items).toEqual([])
})

test('a consumer that invites itself answers, and does not ask', async () => {
  const own = await market.organization(['CONSUMER', 'MANUFACTURER'])
  const requests = rfqsOf(own.administrator.client)
  const { id } = (await requests.create(rfqBody(partId, { manufacturerIds: [own.orgId, maker.orgId] }))).body
  await requests.act(id, 'publish')
  const questions = questionsOf(own.administrator.client)
  expect((await questions.ask(id)).status).toBe(404)
  expect((await questions.answer(id, (await asker.ask(id)).body.id)).status).toBe(200)
})
