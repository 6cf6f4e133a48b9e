import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { CASE_EVENTS } from '../../../../proto/events/cases.ts'
import { CaseMessage } from '../../../../proto/http/sourcing/case-messages.ts'
import { caseEventsOf, casesOf, inEvents, qualityCase } from '../../../testing/cases.ts'
import { documentsOf } from '../../../testing/documents.ts'
import { marketplaceWithWorkers, RACING, type TestOrganization } from '../../../testing/marketplace.ts'
import { act, BY_BUS, entriesOf } from '../../../testing/people.ts'
import { rfqParties } from '../../../testing/rfqs.ts'
import { until } from '../../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
const { owner } = market.db
const { consumer, ipOwner, maker, rival, open } = await rfqParties(market)
const of = ({ administrator }: TestOrganization) => casesOf(administrator.client)
const [buying, making] = [of(consumer), of(maker)]
/** A case of manufacturer and consumer. */
const newCase = async () => (await making.create(qualityCase({ rfqId: await open() }))).body.id
const unread = async (by: typeof making, id: string) => (await by.read(id)).body.unreadCount
const isMessage = TypeCompiler.Compile(CaseMessage)
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

describe('create', () => {
  test('a message, which every party reads newest first and is notified about', async () => {
    const id = await newCase()
    let message: CaseMessage | undefined
    const events = await caseEventsOf(market, async () => {
      const answer = await making.write(id, 'The flange may be thicker.')
      message = answer.body
      expect([answer.status, isMessage.Check(answer.body)]).toEqual([201, true])
    })
    const authorUserId = maker.administrator.userId
    const shared = {
      id: expect.stringMatching(/^message_/),
      caseId: id,
      authorOrgId: maker.orgId,
      text: 'The flange may be thicker.',
      fileIds: [],
      createdTime: expect.any(String),
    } as unknown as CaseMessage
    expect(message).toEqual({ ...shared, authorUserId })
    const read = (await buying.read(id)).body
    expect(read.lastMessageTime).toBe(message?.createdTime as string)
    expect(events.map(({ type, tenantId }) => `${type} ${tenantId}`).toSorted()).toEqual(
      [maker, consumer].map(({ orgId }) => `cases.updated ${orgId}`).toSorted(),
    )
    for (const { type, data } of events) {
      expect(data).toEqual({ case: inEvents(read), message: { id: message?.id, authorOrgId: maker.orgId } } as never)
      expect(TypeCompiler.Compile(CASE_EVENTS[type]).Check(data)).toBe(true)
    }
    const second = (await buying.write(id, 'Thanks.')).body
    expect((await making.messages(id)).body.items.map(({ text }) => text)).toEqual([
      'Thanks.',
      'The flange may be thicker.',
    ])
    expect((await making.messages(id, '?page=2&pageSize=1')).body.items).toEqual([message as CaseMessage])
    expect(second.createdTime > (message?.createdTime as string)).toBe(true)
  })

  test('no other organization learns which user wrote it, also not by an event', async () => {
    const id = await newCase()
    const { userId, client } = await maker.member(['case:read', 'case:manage'])
    const events = await caseEventsOf(market, () => casesOf(client).write(id, 'Done.'))
    expect((await making.messages(id)).body.items[0]?.authorUserId).toBe(userId)
    expect((await buying.messages(id)).text).not.toContain(userId)
    expect(JSON.stringify(events)).not.toContain(userId)
  })

  test('by another organization it is 404, exactly like an unknown case', async () => {
    const id = await newCase()
    for (const by of [of(rival), of(ipOwner)]) {
      for (const target of [id, 'case_unknown']) {
        expect((await by.write(target, 'X')).status).toBe(404)
        expect((await by.messages(target)).status).toBe(404)
        expect((await by.markRead(target)).status).toBe(404)
      }
    }
  })

  test('needs case:manage; reading needs case:read', async () => {
    const id = await newCase()
    const reader = casesOf((await maker.member(['case:read'])).client)
    const writer = casesOf((await maker.member(['case:manage'])).client)
    expect([(await reader.write(id, 'X')).status, (await writer.write(id, 'X')).status]).toEqual([403, 201])
    expect([(await writer.messages(id)).status, (await reader.messages(id)).status]).toEqual([403, 200])
    expect([(await writer.markRead(id)).status, (await reader.markRead(id)).status]).toEqual([403, 200])
  })

  test.each([
    [{ text: '' }, 'text'],
    [{ text: ' \n ' }, 'text'],
    [{ text: 'x'.repeat(10_001) }, 'text'],
    [{}, 'text'],
    [{ text: 'X', fileIds: Array(21).fill('file_1') }, 'fileIds'],
    [{ text: 'X', authorOrgId: 'org_1' }, 'authorOrgId'],
  ])('a body %p is 400 for %s', async (body, field) => {
    const id = await newCase()
    const answer = await maker.administrator.client.post<{ errors?: { field: string }[] }>(
      `/flows/v1/cases/${id}/messages`,
      body,
    )
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
  })

  test('the same Idempotency-Key writes one message', async () => {
    const id = await newCase()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const send = () => maker.administrator.client.post(`/flows/v1/cases/${id}/messages`, { text: 'X' }, headers)
    const [first, second] = [await send(), await send()]
    expect(second.text).toBe(first.text)
    expect((await making.messages(id)).body.items).toHaveLength(1)
  })

  test('concurrent messages all have their own time and place', async () => {
    const id = await newCase()
    const texts = Array.from({ length: 12 }, (_, n) => `${n}`)
    await Promise.all(texts.map((text, n) => (n % 2 ? making : buying).write(id, text)))
    const { items } = (await making.messages(id, '?pageSize=50')).body
    expect(items.map(({ text }) => text).toSorted()).toEqual(texts.toSorted())
    expect(new Set(items.map(({ createdTime }) => createdTime)).size).toBe(12)
    expect(items.map(({ createdTime }) => createdTime)).toEqual(
      items
        .map(({ createdTime }) => createdTime)
        .toSorted()
        .reverse(),
    )
    expect([await unread(making, id), await unread(buying, id)]).toEqual([6, 6])
  })

  test('after 2500 of an organization it is 409 limit_reached, and the other party has room', async () => {
    const id = await newCase()
    await owner`update sourcing.case_parties set written_count = 2499 where case_id = ${id} and org_id = ${maker.orgId}`
    const answers = await Promise.all([1, 2, 3].map(() => making.write(id, 'X')))
    expect(answers.map(({ status, body }) => `${status} ${body.code ?? ''}`).toSorted()).toEqual([
      '201 ',
      '409 limit_reached',
      '409 limit_reached',
    ])
    expect((await buying.write(id, 'X')).status).toBe(201)
    expect(await unread(buying, id)).toBe(1)
  })

  test.each(['close', 'archive'])('after %s it is 409, and messages are still read', async (last) => {
    const id = await newCase()
    await buying.write(id, 'X')
    await making.act(id, 'close')
    if (last === 'archive') await making.act(id, 'archive')
    const answer = await making.write(id, 'Y')
    expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
    expect((await making.messages(id)).body.items).toHaveLength(1)
    expect((await making.markRead(id)).body.unreadCount).toBe(0)
  })

  test('writes an audit entry without its text', async () => {
    const id = await newCase()
    const { body } = await making.write(id, 'A secret of the trade.')
    const entries = await entriesOf(market, maker.orgId, 'case.message.create')
    const [entry] = entries.filter(({ request }) => request.messageId === body.id)
    expect(entry?.request).toEqual({ id, messageId: body.id })
  })
})

describe('documents of a message', () => {
  const documents = (org: TestOrganization) => documentsOf(market, org.administrator.client)

  test('are named by the organization that added them to the case', async () => {
    const id = await newCase()
    const { id: fileId } = await documents(maker).add('cases', id)
    const { status, body } = await making.write(id, 'See the photo.', { fileIds: [fileId, fileId] })
    expect([status, body.fileIds]).toEqual([201, [fileId]])
    expect((await buying.messages(id)).body.items[0]?.fileIds).toEqual([fileId])
  })

  test('of another party, of another case, and unknown ones are 400 alike', async () => {
    const [id, other] = [await newCase(), await newCase()]
    const foreign = await documents(consumer).add('cases', id)
    const elsewhere = await documents(maker).add('cases', other)
    const answers = await Promise.all(
      [foreign.id, elsewhere.id, 'file_unknown'].map(async (fileId) => {
        const answer = await making.write(id, 'X', { fileIds: [fileId] })
        expect([answer.status, fields(answer)]).toEqual([400, ['fileIds.0']])
        return answer.body.detail.replace(fileId, 'id')
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect((await making.messages(id)).body.items).toEqual([])
  })
})

describe('unread messages', () => {
  test('are those of others; reading marks them for the organization alone', async () => {
    const id = await newCase()
    expect([await unread(making, id), await unread(buying, id)]).toEqual([0, 0])
    for (const text of ['A', 'B']) await buying.write(id, text)
    await making.write(id, 'C')
    expect([await unread(making, id), await unread(buying, id)]).toEqual([2, 1])
    const listed = (await making.list('?kind=QUALITY')).body.items.find((item) => item.id === id)
    expect(listed).toEqual((await making.read(id)).body)
    const before = (await buying.read(id)).text
    const events = await caseEventsOf(market, async () => {
      expect((await making.markRead(id)).body.unreadCount).toBe(0)
    })
    expect([events, (await buying.read(id)).text]).toEqual([[], before])
    expect([await unread(making, id), await unread(buying, id)]).toEqual([0, 1])
  })

  test('are read up to a message, and never become unread again', async () => {
    const id = await newCase()
    const ids: string[] = []
    for (const text of ['A', 'B', 'C']) ids.push((await buying.write(id, text)).body.id)
    const counts: unknown[] = []
    for (const messageId of [ids[1], ids[0], ids[2]]) {
      counts.push((await making.markRead(id, messageId)).body.unreadCount)
    }
    expect(counts).toEqual([1, 1, 0])
    await buying.write(id, 'D')
    expect((await making.markRead(id, ids[0])).body.unreadCount).toBe(1)
  })

  test('up to a message of another case, or an unknown one, are 400', async () => {
    const [id, other] = [await newCase(), await newCase()]
    const elsewhere = (await buying.write(other, 'X')).body.id
    for (const messageId of [elsewhere, 'message_unknown']) {
      const answer = await making.markRead(id, messageId)
      expect([answer.status, fields(answer)]).toEqual([400, ['messageId']])
    }
  })
})

test('the anonymisation of a user erases it in its messages, which remain', async () => {
  const id = await newCase()
  const { userId, client } = await maker.member(['case:read', 'case:manage'])
  await casesOf(client).write(id, 'Done.')
  await act(maker.administrator.client, userId, 'deactivate')
  expect((await act(maker.administrator.client, userId, 'anonymise')).status).toBe(200)
  await until(async () => (await making.messages(id)).body.items[0]?.authorUserId === undefined, BY_BUS)
  expect((await making.messages(id)).body.items[0]?.text).toBe('Done.')
})
