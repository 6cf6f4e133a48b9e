import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { decodeTime } from 'ulid'
import { Question } from '../../../proto/http/sourcing/rfq-questions.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { questionsOf, TO_ALL, TO_ASKER } from '../../testing/questions.ts'
import { rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, buyer, open } = await rfqParties(market)
const asker = questionsOf(maker.administrator.client)
const other = questionsOf(rival.administrator.client)
const buying = questionsOf(consumer.administrator.client)
const owning = questionsOf(ipOwner.administrator.client)

const isQuestion = TypeCompiler.Compile(Question)
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

/** An open RFQ with a question of `maker`. */
async function asked(more: object = {}) {
  const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId], ...more })
  const { body } = await asker.ask(rfqId)
  return { rfqId, id: body.id }
}

describe('answer', () => {
  test('to the ASKER is read by the asker, the consumer and the IP owner alone', async () => {
    const { rfqId, id } = await asked()
    const { status, body } = await buying.answer(rfqId, id, { text: 'Yes, of 316L.', audience: 'ASKER' })
    expect([status, isQuestion.Check(body)]).toEqual([200, true])
    expect(body).toMatchObject({
      ...{ id, state: 'ANSWERED', answer: 'Yes, of 316L.', audience: 'ASKER', answeredByOrgId: consumer.orgId },
      ...{ text: 'May we use our powder?', askedByOrgId: maker.orgId },
    })
    for (const reader of [asker, buying, owning]) expect((await reader.list(rfqId)).body.items).toEqual([body])
    expect((await other.list(rfqId)).body.items).toEqual([])
  })

  test('to ALL: other invitees read the answer and the words of the answerer, without asker, its words, id and time', async () => {
    const { rfqId, id } = await asked()
    const { body } = await owning.answer(rfqId, id, TO_ALL)
    expect(body.answeredByOrgId).toBe(ipOwner.orgId)
    for (const reader of [asker, buying, owning]) expect((await reader.list(rfqId)).body.items).toEqual([body])
    const { items } = (await other.list(rfqId)).body
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^question_/) as unknown as string,
        rfqId,
        state: 'ANSWERED',
        audience: 'ALL',
        publishedText: 'Are other powders allowed?',
        answer: 'Yes.',
        answeredByOrgId: ipOwner.orgId,
        createdTime: body.answeredTime as string,
        answeredTime: body.answeredTime as string,
      },
    ])
    expect(isQuestion.Check(items[0])).toBe(true)
    expect(decodeTime(items[0]?.id.slice('question_'.length) ?? '')).toBe(Date.parse(body.answeredTime as string))
  })

  test('an invitee of later reads what was answered to all, too', async () => {
    const rfqId = await open()
    const { id } = (await asker.ask(rfqId)).body
    await buying.answer(rfqId, id, TO_ALL)
    expect((await other.list(rfqId)).status).toBe(404)
    await buyer.act(rfqId, 'invite', { manufacturerIds: [rival.orgId] })
    expect((await other.list(rfqId)).body.items.map(({ publishedText }) => publishedText)).toEqual([
      TO_ALL.publishedText,
    ])
  })

  test('an invitee that has declined reads its own questions with their answers alone, until it is invited again', async () => {
    const { rfqId, id } = await asked()
    const rivals = (await other.ask(rfqId, 'Which standard?')).body.id
    await buying.answer(rfqId, id, TO_ALL)
    await rfqsOf(rival.administrator.client).act(rfqId, 'decline')
    await buying.answer(rfqId, rivals, TO_ASKER)
    const ids = async () => (await other.list(rfqId)).body.items.map(({ state, text }) => [state, text])
    expect(await ids()).toEqual([['ANSWERED', 'Which standard?']])
    await buyer.act(rfqId, 'invite', { manufacturerIds: [rival.orgId] })
    expect(await ids()).toHaveLength(2)
  })

  test.each([
    [{ text: 'Yes.' }, 'audience'],
    [{ text: 'Yes.', audience: 'NONE' }, 'audience'],
    [{ text: 'Yes.', audience: 'ALL' }, 'publishedText'],
    [{ text: 'Yes.', audience: 'ALL', publishedText: ' ' }, 'publishedText'],
    [{ text: 'Yes.', audience: 'ASKER', publishedText: 'Powder?' }, 'publishedText'],
    [{ text: '', audience: 'ASKER' }, 'text'],
  ])('a body %p is 400 for %s', async (body, field) => {
    const { rfqId, id } = await asked()
    const answer = await buying.answer(rfqId, id, body)
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
  })

  test("that publishes the asker's own words is 400, however spaced", async () => {
    const { rfqId, id } = await asked()
    for (const publishedText of ['May we use our powder?', ' MAY  we use\nour powder? ']) {
      const answer = await buying.answer(rfqId, id, { ...TO_ALL, publishedText })
      expect([answer.status, fields(answer)]).toEqual([400, ['publishedText']])
    }
    expect((await other.list(rfqId)).body.items).toEqual([])
  })

  test('of a question of another RFQ, of a clarification, or under the id that others read is 404', async () => {
    const { rfqId, id } = await asked()
    expect((await buying.answer(await open(), id)).status).toBe(404)
    expect((await buying.answer(rfqId, (await buying.clarify(rfqId)).body.id)).status).toBe(404)
    await buying.answer(rfqId, id, TO_ALL)
    const published = (await other.list(rfqId)).body.items.find((item) => item.publishedText)
    expect((await buying.answer(rfqId, published?.id ?? '')).status).toBe(404)
    expect((await buying.dismiss(rfqId, published?.id ?? '')).status).toBe(404)
  })

  test('is possible while the RFQ is CLOSED, and its end dismisses the rest', async () => {
    const { rfqId, id } = await asked()
    const rest = (await other.ask(rfqId)).body.id
    await buyer.act(rfqId, 'close')
    expect((await buying.answer(rfqId, id, TO_ALL)).status).toBe(200)
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    const states = (await buying.list(rfqId)).body.items.map((item) => [item.id, item.state])
    expect(states).toEqual([
      [rest, 'DISMISSED'],
      [id, 'ANSWERED'],
    ])
    expect(codeOf(await buying.answer(rfqId, rest))).toEqual([409, 'illegal_transition'])
  })
})
