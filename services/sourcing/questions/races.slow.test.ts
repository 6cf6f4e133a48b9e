import { expect, setDefaultTimeout, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { insertQuestions, questionsOf, TO_ALL } from '../../testing/questions.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

setDefaultTimeout(120_000)
const market = await marketplaceOf(['sourcing'], RACING)
const { consumer, ipOwner, maker, rival, buyer, open, submittedOffer } = await offerParties(market)
const asker = questionsOf(maker.administrator.client)
const other = questionsOf(rival.administrator.client)
const buying = questionsOf(consumer.administrator.client)
const owning = questionsOf(ipOwner.administrator.client)
const ROUNDS = 12

const openToBoth = () => open({ manufacturerIds: [maker.orgId, rival.orgId] })
const stateOf = async (rfqId: string) => (await buying.list(rfqId)).body.items.map(({ state }) => state)

/** The unanswered questions that the database has, and those that the RFQ counts. */
async function unansweredOf(rfqId: string) {
  const [row] = await market.db.owner<[{ counted: number; left: number }]>`
    select unanswered_questions as counted,
      (select count(*)::int from sourcing.rfq_questions where rfq_id = rfqs.id and state = 'ASKED') as left
    from sourcing.rfqs where id = ${rfqId}`
  return row
}

test('an answer against the cancellation: it is answered before it, or 409 and dismissed', async () => {
  const seen = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const rfqId = await openToBoth()
    const { id } = (await asker.ask(rfqId)).body
    const cancel = () => buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    const answer = () => buying.answer(rfqId, id, TO_ALL)
    const both = round % 2 === 0 ? [answer(), cancel()] : [cancel(), answer()].toReversed()
    const [answered, cancelled] = await Promise.all(both)
    expect(cancelled?.status).toBe(200)
    expect([answered?.status, await stateOf(rfqId)]).toEqual(
      answered?.status === 200 ? [200, ['ANSWERED']] : [409, ['DISMISSED']],
    )
    seen.add(String(answered?.status))
    expect(await unansweredOf(rfqId)).toEqual({ counted: 0, left: 0 })
  }
  expect(seen.size).toBeGreaterThan(0)
})

test('a question against the award: no question stays ASKED', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const rfqId = await openToBoth()
    const offerId = await submittedOffer({}, rfqId)
    const [question, awarded] = await Promise.all([
      other.ask(rfqId),
      awardsOf(consumer.administrator.client).award(rfqId, { awards: [{ offerId, quantity: 10 }] }),
    ])
    expect(awarded.status).toBe(200)
    expect([question.status, await stateOf(rfqId)]).toEqual(question.status === 201 ? [201, ['DISMISSED']] : [409, []])
    expect(await unansweredOf(rfqId)).toEqual({ counted: 0, left: 0 })
  }
})

test('a question against the decline of its asker is asked before it, or 409', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const rfqId = await openToBoth()
    const [question, declined] = await Promise.all([
      other.ask(rfqId),
      rfqsOf(rival.administrator.client).act(rfqId, 'decline'),
    ])
    expect([declined.status, [201, 409].includes(question.status)]).toEqual([200, true])
    expect((await stateOf(rfqId)).length).toBe(question.status === 201 ? 1 : 0)
  }
})

test('of concurrent questions at the limit as many are asked as fit', async () => {
  const rfqId = await openToBoth()
  await insertQuestions(market, { rfqId, orgId: maker.orgId }, 48)
  const answers = await Promise.all(Array.from({ length: 8 }, () => asker.ask(rfqId)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409, 409, 409, 409])
  await insertQuestions(market, { rfqId, orgId: 'org_other' }, 449)
  const last = await Promise.all(Array.from({ length: 8 }, () => other.ask(rfqId)))
  expect(last.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
})

test('of concurrent answers and dismissals by both answerers one succeeds', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const rfqId = await openToBoth()
    const { id } = (await asker.ask(rfqId)).body
    const answers = await Promise.all([
      buying.answer(rfqId, id, TO_ALL),
      owning.answer(rfqId, id),
      buying.dismiss(rfqId, id),
      owning.dismiss(rfqId, id),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    expect(await unansweredOf(rfqId)).toEqual({ counted: 0, left: 0 })
  }
})
