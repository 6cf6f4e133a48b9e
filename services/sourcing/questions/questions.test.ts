import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Question } from '../../../proto/http/sourcing/rfq-questions.ts'
import { awardsOf } from '../../testing/awards.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { entriesOf } from '../../testing/people.ts'
import { insertQuestions, questionsOf, TO_ALL } from '../../testing/questions.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, buyer, draft, open, submittedOffer } = await offerParties(market)
const asker = questionsOf(maker.administrator.client)
const other = questionsOf(rival.administrator.client)
const buying = questionsOf(consumer.administrator.client)
const owning = questionsOf(ipOwner.administrator.client)
const outside = questionsOf(stranger.administrator.client)

const openToBoth = () => open({ manufacturerIds: [maker.orgId, rival.orgId] })
const isQuestion = TypeCompiler.Compile(Question)
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

/** An open RFQ with a question of `maker`. */
async function asked(more: object = {}) {
  const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId], ...more })
  const { body } = await asker.ask(rfqId)
  return { rfqId, id: body.id }
}

describe('ask', () => {
  test('by an invitee: the asker, the consumer and the IP owner read the question at once, and nobody else', async () => {
    const rfqId = await openToBoth()
    const { status, body } = await asker.ask(rfqId, 'May we use our powder?')
    expect([status, isQuestion.Check(body)]).toEqual([201, true])
    expect(body).toEqual({
      id: expect.stringMatching(/^question_/),
      rfqId,
      state: 'ASKED',
      askedByOrgId: maker.orgId,
      text: 'May we use our powder?',
      createdTime: expect.any(String),
    } as unknown as typeof body)
    for (const reader of [asker, buying, owning]) expect((await reader.list(rfqId)).body.items).toEqual([body])
    expect((await other.list(rfqId)).body).toEqual({ items: [], hasMore: false } as never)
    expect([(await outside.list(rfqId)).status, (await outside.list('rfq_unknown')).status]).toEqual([404, 404])
  })

  test('by the consumer, the IP owner, an organization that is not invited, or before the publication is 404', async () => {
    const rfqId = await open()
    for (const by of [buying, owning, other, outside]) expect((await by.ask(rfqId)).status).toBe(404)
    expect((await asker.ask(await draft())).status).toBe(404)
  })

  test('without offer:create is 403', async () => {
    const rfqId = await open()
    const { client } = await maker.member(['offer:submit', 'rfq:create', 'part:update'])
    expect((await questionsOf(client).ask(rfqId)).status).toBe(403)
  })

  test.each([
    [{ text: '' }, 'text'],
    [{ text: ' \n ' }, 'text'],
    [{ text: 'x'.repeat(5001) }, 'text'],
    [{}, 'text'],
    [{ text: 'Why?', state: 'ANSWERED' }, 'state'],
  ])('a body %p is 400 for %s', async (body, field) => {
    const rfqId = await open()
    const answer = await maker.administrator.client.post<{ errors?: { field: string }[] }>(
      `/flows/v1/rfqs/${rfqId}/questions`,
      body,
    )
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
  })

  test('after a decline it is 409, and again possible after a new invitation', async () => {
    const rfqId = await open()
    await rfqsOf(maker.administrator.client).act(rfqId, 'decline')
    const refused = await asker.ask(rfqId)
    expect([...codeOf(refused), refused.body.detail]).toEqual([
      409,
      'illegal_transition',
      'The invitation is DECLINED.',
    ])
    await buyer.act(rfqId, 'invite', { manufacturerIds: [maker.orgId] })
    expect((await asker.ask(rfqId)).status).toBe(201)
  })

  test('of an RFQ whose expiry has passed is 409, also before a worker has closed it', async () => {
    const rfqId = await open()
    await market.db.owner`update sourcing.rfqs set expires_at = now() - interval '1 second' where id = ${rfqId}`
    expect(codeOf(await asker.ask(rfqId))).toEqual([409, 'illegal_transition'])
  })

  test('the 51st question of an invitee is 409 limit_reached, dismissed ones counted; another invitee still asks', async () => {
    const rfqId = await openToBoth()
    const [first = ''] = await insertQuestions(market, { rfqId, orgId: maker.orgId }, 49)
    await buying.dismiss(rfqId, first)
    expect((await asker.ask(rfqId)).status).toBe(201)
    expect(codeOf(await asker.ask(rfqId))).toEqual([409, 'limit_reached'])
    expect((await other.ask(rfqId)).status).toBe(201)
    expect((await asker.ask(await open())).status).toBe(201)
  })

  test('the 501st question about an RFQ is 409 with the same words, which tell no count of others', async () => {
    const rfqId = await openToBoth()
    await insertQuestions(market, { rfqId, orgId: maker.orgId }, 50)
    const own = await asker.ask(rfqId)
    await insertQuestions(market, { rfqId, orgId: 'org_other' }, 449)
    expect((await other.ask(rfqId)).status).toBe(201)
    const all = await other.ask(rfqId)
    expect([codeOf(all), all.body.detail]).toEqual([[409, 'limit_reached'], own.body.detail])
    expect(all.body.detail).toBe('A manufacturer asks at most 50 questions about an RFQ, and all together at most 500.')
  })

  test('the same Idempotency-Key asks once', async () => {
    const rfqId = await open()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const [first, second] = [await asker.ask(rfqId, 'Why?', headers), await asker.ask(rfqId, 'Why?', headers)]
    expect(second.body).toEqual(first.body)
    expect((await buying.list(rfqId)).body.items).toHaveLength(1)
  })
})

describe('the end of an RFQ', () => {
  const stateOf = async (rfqId: string) => (await asker.list(rfqId)).body.items.map(({ state }) => state)

  test('by an award dismisses its unanswered questions; close, expiry and reopening keep them', async () => {
    const { rfqId } = await asked()
    const offerId = await submittedOffer({}, rfqId)
    await buyer.act(rfqId, 'close')
    expect(await stateOf(rfqId)).toEqual(['ASKED'])
    await buyer.act(rfqId, 'reopen', { expireTime: inHours(10) })
    expect(await stateOf(rfqId)).toEqual(['ASKED'])
    await awardsOf(consumer.administrator.client).award(rfqId, { awards: [{ offerId, quantity: 10 }] })
    expect(await stateOf(rfqId)).toEqual(['DISMISSED'])
    const { body } = await asker.list(rfqId)
    expect(body.items[0]?.dismissedTime).toBe((await buyer.read(rfqId)).body.updatedTime)
    expect(codeOf(await asker.ask(rfqId))).toEqual([409, 'illegal_transition'])
    expect(codeOf(await buying.clarify(rfqId))).toEqual([409, 'illegal_transition'])
  })

  test('dismisses only its own questions', async () => {
    const [ended, living] = [await asked(), await asked()]
    await buyer.act(ended.rfqId, 'cancel', { reason: 'Sold.' })
    expect([await stateOf(ended.rfqId), await stateOf(living.rfqId)]).toEqual([['DISMISSED'], ['ASKED']])
  })
})

describe('dismiss', () => {
  test('is read by the asker, the consumer and the IP owner, and by no other invitee', async () => {
    const { rfqId, id } = await asked()
    const { status, body } = await owning.dismiss(rfqId, id)
    expect([status, body.state, isQuestion.Check(body)]).toEqual([200, 'DISMISSED', true])
    for (const reader of [asker, buying, owning]) expect((await reader.list(rfqId)).body.items).toEqual([body])
    expect((await other.list(rfqId)).body.items).toEqual([])
  })
})

describe('clarify', () => {
  test('is an answer to all without a question, in the same list', async () => {
    const rfqId = await openToBoth()
    const { status, body } = await buying.clarify(rfqId, 'Bores may be reamed.')
    expect([status, isQuestion.Check(body)]).toEqual([201, true])
    expect(body).toEqual({
      id: body.id,
      rfqId,
      state: 'ANSWERED',
      audience: 'ALL',
      answer: 'Bores may be reamed.',
      answeredByOrgId: consumer.orgId,
      createdTime: body.createdTime,
      answeredTime: body.createdTime,
    } as typeof body)
    for (const reader of [asker, other, buying, owning]) {
      expect((await reader.list(rfqId)).body.items).toEqual([body])
    }
    expect((await owning.clarify(rfqId)).body.answeredByOrgId).toBe(ipOwner.orgId)
  })

  test('by an invitee or a stranger is 404; of a draft it is 409 for the consumer and 404 for the IP owner', async () => {
    const rfqId = await openToBoth()
    for (const by of [asker, other, outside]) expect((await by.clarify(rfqId)).status).toBe(404)
    const drafted = await draft()
    expect([(await buying.clarify(drafted)).status, (await owning.clarify(drafted)).status]).toEqual([409, 404])
  })

  test('the 501st of an RFQ is 409 limit_reached, and questions are not counted', async () => {
    const rfqId = await open()
    await asker.ask(rfqId)
    await insertQuestions(market, { rfqId, orgId: null }, 499)
    expect((await buying.clarify(rfqId)).status).toBe(201)
    expect(codeOf(await buying.clarify(rfqId))).toEqual([409, 'limit_reached'])
    expect((await asker.ask(rfqId)).status).toBe(201)
  })
})

describe('the permission to answer', () => {
  const verbs = {
    answer: (by: typeof buying, rfqId: string, id: string) => by.answer(rfqId, id),
    dismiss: (by: typeof buying, rfqId: string, id: string) => by.dismiss(rfqId, id),
    clarify: (by: typeof buying, rfqId: string) => by.clarify(rfqId),
  }

  test.each(Object.entries(verbs))(
    '%s needs rfq:create of the consumer and part:update of the IP owner',
    async (_, send) => {
      const by = async (org: typeof consumer, permissions: Parameters<typeof consumer.member>[0]) =>
        questionsOf((await org.member(permissions)).client)
      const statusOf = async (requests: typeof buying) => {
        const { rfqId, id } = await asked()
        return (await send(requests, rfqId, id)).status
      }
      expect(await statusOf(await by(consumer, ['part:update', 'rfq:publish', 'offer:create']))).toBe(403)
      expect(await statusOf(await by(ipOwner, ['rfq:create', 'part:publish', 'offer:create']))).toBe(403)
      expect(await statusOf(await by(consumer, []))).toBe(403)
      expect(await statusOf(await by(consumer, ['rfq:create']))).toBeLessThan(300)
      expect(await statusOf(await by(ipOwner, ['part:update']))).toBeLessThan(300)
    },
  )

  test('of an organization that is consumer and IP owner is either one', async () => {
    const owned = rfqsOf(ipOwner.administrator.client)
    const part = await publishedPart(ipOwner.administrator.client, { internal: true })
    const { id: rfqId } = (await owned.create(rfqBody(part, { manufacturerIds: [maker.orgId] }))).body
    await owned.act(rfqId, 'publish')
    for (const permission of ['rfq:create', 'part:update'] as const) {
      const { id } = (await asker.ask(rfqId)).body
      const { client } = await ipOwner.member([permission])
      expect((await questionsOf(client).answer(rfqId, id)).status).toBe(200)
    }
  })
})

describe('unansweredQuestions of the RFQ', () => {
  const countOf = async (rfqId: string) => (await buyer.read(rfqId)).body.unansweredQuestions

  test('counts for the consumer what waits for an answer, without a trace in time and history', async () => {
    const rfqId = await openToBoth()
    const { updatedTime } = (await buyer.read(rfqId)).body
    expect(await countOf(rfqId)).toBe(0)
    const [first, second] = [(await asker.ask(rfqId)).body.id, (await other.ask(rfqId)).body.id]
    expect(await countOf(rfqId)).toBe(2)
    await buying.clarify(rfqId)
    await owning.answer(rfqId, first, TO_ALL)
    expect(await countOf(rfqId)).toBe(1)
    await buying.dismiss(rfqId, second)
    expect(await countOf(rfqId)).toBe(0)
    expect((await buyer.read(rfqId)).body.updatedTime).toBe(updatedTime)
    const { text } = await consumer.administrator.client.get(`/v1/rfqs/${rfqId}/history`)
    expect(text).not.toContain('unansweredQuestions')
  })

  test('is read by no other organization, also in lists', async () => {
    const { rfqId } = await asked()
    for (const { administrator } of [ipOwner, maker, rival]) {
      expect((await rfqsOf(administrator.client).read(rfqId)).text).not.toContain('unanswered')
      const { items } = (await rfqsOf(administrator.client).list()).body
      expect(items.find(({ id }) => id === rfqId)?.unansweredQuestions).toBeUndefined()
    }
  })

  test('is 0 in the answer to the end of the RFQ', async () => {
    const [cancelled, awarded] = [await asked(), await asked()]
    expect((await buyer.act(cancelled.rfqId, 'cancel', { reason: 'Sold.' })).body.unansweredQuestions).toBe(0)
    const awards = [{ offerId: await submittedOffer({}, awarded.rfqId), quantity: 10 }]
    const { body } = await awardsOf(consumer.administrator.client).award(awarded.rfqId, { awards })
    expect([body.state, body.unansweredQuestions]).toEqual(['AWARDED', 0])
  })
})

test('the list is paged, newest first: for others by the time of the answer', async () => {
  const rfqId = await openToBoth()
  const [a, b] = [(await asker.ask(rfqId, 'A?')).body.id, (await asker.ask(rfqId, 'B?')).body.id]
  const own = (await other.ask(rfqId, 'C?')).body.id
  await buying.answer(rfqId, b, { ...TO_ALL, publishedText: 'b' })
  await buying.answer(rfqId, a, { ...TO_ALL, publishedText: 'a' })
  const pages = [await other.list(rfqId, '?pageSize=2'), await other.list(rfqId, '?pageSize=2&page=2')]
  expect(
    pages.map(({ body }) => [body.items.map(({ publishedText, text }) => publishedText ?? text), body.hasMore]),
  ).toEqual([
    [['a', 'b'], true],
    [['C?'], false],
  ])
  expect((await buying.list(rfqId)).body.items.map(({ id }) => id)).toEqual([own, b, a])
  expect((await buying.list(rfqId, '?pageSize=2&page=2')).body.items.map(({ id }) => id)).toEqual([a])
})

test('each command writes an audit entry with ids and audience, without a text', async () => {
  const { rfqId, id } = await asked()
  await buying.answer(rfqId, id, TO_ALL)
  const second = (await asker.ask(rfqId)).body.id
  await buying.dismiss(rfqId, second)
  const clarification = (await buying.clarify(rfqId)).body.id
  const last = async (orgId: string, procedure: string) => (await entriesOf(market, orgId, procedure)).at(-1)?.request
  expect(await last(maker.orgId, 'rfq.question.create')).toEqual({ id: rfqId, questionId: second })
  expect(await last(consumer.orgId, 'rfq.question.answer')).toEqual({ id: rfqId, questionId: id, audience: 'ALL' })
  expect(await last(consumer.orgId, 'rfq.question.dismiss')).toEqual({ id: rfqId, questionId: second })
  expect(await last(consumer.orgId, 'rfq.clarification.create')).toEqual({ id: rfqId, questionId: clarification })
})
