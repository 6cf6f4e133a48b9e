import { expect, test } from 'bun:test'
import { caseEventsOf } from '../../testing/cases.ts'
import { causeOf, confidentialParties, termsOf } from '../../testing/confidentiality.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { questionsOf, TO_ALL } from '../../testing/questions.ts'

const market = await marketplaceOf(['sourcing', 'catalog'])
const { designer, maker, rival, open } = await confidentialParties(market)
const asker = questionsOf(maker.administrator.client)
const other = questionsOf(rival.administrator.client)
const owning = questionsOf(designer.administrator.client)

test('until an invitee has accepted the terms, questions are 404 for it; then it reads what was answered before', async () => {
  const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
  expect([(await asker.list(rfqId)).status, (await asker.ask(rfqId)).status]).toEqual([404, 404])
  expect((await termsOf(maker.administrator.client).accept(rfqId)).status).toBe(200)
  const { id } = (await asker.ask(rfqId)).body
  expect((await owning.answer(rfqId, id, TO_ALL)).status).toBe(200)
  expect([(await other.list(rfqId)).status, (await other.ask(rfqId)).status]).toEqual([404, 404])
  await termsOf(rival.administrator.client).accept(rfqId)
  expect((await other.list(rfqId)).body.items.map(({ publishedText }) => publishedText)).toEqual([TO_ALL.publishedText])
})

test('an invitee that has not accepted the terms is not told of an answer to all, nor of a clarification', async () => {
  const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
  await termsOf(maker.administrator.client).accept(rfqId)
  const { id } = (await asker.ask(rfqId)).body
  const events = await caseEventsOf(market, async () => {
    await owning.answer(rfqId, id, TO_ALL)
    await owning.clarify(rfqId)
  })
  expect(events.map((event) => [event.tenantId, causeOf(event)]).toSorted()).toEqual(
    [designer.orgId, maker.orgId]
      .flatMap((orgId) => [
        [orgId, 'sourcing.rfq.clarified'],
        [orgId, 'sourcing.rfq.questionAnswered'],
      ])
      .toSorted(),
  )
})
