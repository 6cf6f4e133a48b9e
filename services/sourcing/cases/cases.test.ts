import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { CASE_EVENTS } from '../../../proto/events/cases.ts'
import { Case } from '../../../proto/http/sourcing/cases.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { caseEventsOf, casesOf, inEvents, qualityCase } from '../../testing/cases.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { entriesOf, type Problem } from '../../testing/people.ts'
import { rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await awardParties(market)
const { consumer, ipOwner, maker, rival, distributor, stranger, partId, open, offer, ordersOfRfq } = parties
const own = casesOf(consumer.administrator.client)
const makers = casesOf(maker.administrator.client)
const foreign = casesOf(stranger.administrator.client)
const isCase = TypeCompiler.Compile(Case)

const rfqId = await open()
const orderRfq = await open()
await awardsOf(consumer.administrator.client).accept(await offer(orderRfq, maker), { quantity: 10 })
const [order] = await ordersOfRfq(orderRfq)
const orderId = order?.id as string

async function created(more: object = {}): Promise<Case & Problem> {
  const { status, body, text } = await own.create(qualityCase(more))
  if (status !== 201) throw new Error(text)
  return body
}
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

describe('create', () => {
  test('a case without RFQ and order is OPEN, and its organization is the only party', async () => {
    const made = await created({ description: 'Pores of 0.4 mm.' })
    expect(isCase.Check(made)).toBe(true)
    expect(made).toMatchObject({
      kind: 'QUALITY',
      state: 'OPEN',
      title: 'Porosity at the flange',
      description: 'Pores of 0.4 mm.',
      orgId: consumer.orgId,
      partyOrgIds: [consumer.orgId],
    })
    expect((await own.read(made.id)).body).toEqual(made)
  })

  test('parties to the case of an order are the organizations of the order, each of which reads it', async () => {
    const made = await created({ orderId })
    const organizations = [consumer, ipOwner, maker, distributor]
    expect(made.partyOrgIds.toSorted()).toEqual(organizations.map(({ orgId }) => orgId).toSorted())
    for (const { administrator } of organizations) {
      const requests = casesOf(administrator.client)
      expect((await requests.read(made.id)).body).toEqual(made)
      expect((await requests.list(`?orderId=${orderId}`)).body.items).toContainEqual(made)
    }
    expect((await casesOf(rival.administrator.client).read(made.id)).status).toBe(404)
  })

  test("parties to a manufacturer's case of an RFQ are the manufacturer and the consumer, not its competitor", async () => {
    const { status, body } = await makers.create(qualityCase({ kind: 'SOURCING', rfqId }))
    expect([status, body.orgId, body.partyOrgIds]).toEqual([201, maker.orgId, [maker.orgId, consumer.orgId]])
    expect((await own.read(body.id)).status).toBe(200)
    for (const { administrator } of [rival, ipOwner]) {
      expect((await casesOf(administrator.client).read(body.id)).status).toBe(404)
    }
    expect((await created({ rfqId })).partyOrgIds).toEqual([consumer.orgId])
  })

  test('each party is notified once, by an event with its own id', async () => {
    let made = ''
    const events = await caseEventsOf(market, async () => {
      made = (await created({ orderId })).id
    })
    expect(events.map(({ type, subject }) => [type, subject])).toEqual(Array(4).fill(['cases.created', made]))
    expect(events.map(({ tenantId }) => tenantId).toSorted()).toEqual(
      [consumer, ipOwner, maker, distributor].map(({ orgId }) => orgId).toSorted(),
    )
    expect(new Set(events.map(({ id }) => id)).size).toBe(4)
    for (const { data } of events) expect(data).toEqual({ case: inEvents((await own.read(made)).body) })
  })

  test('an RFQ or an order that the organization cannot read is 400, exactly like an unknown one', async () => {
    const drafted = await rfqsOf(consumer.administrator.client).create(rfqBody(partId))
    for (const [field, hidden, unknown] of [
      ['rfqId', rfqId, 'rfq_unknown'],
      ['rfqId', drafted.body.id, 'rfq_unknown'],
      ['orderId', orderId, 'order_unknown'],
    ] as const) {
      const [one, other] = [
        await foreign.create(qualityCase({ [field]: hidden })),
        await foreign.create(qualityCase({ [field]: unknown })),
      ]
      expect([one.status, fields(one), one.body.detail.replace(hidden, 'id')]).toEqual([
        400,
        [field],
        other.body.detail.replace(unknown, 'id'),
      ])
    }
    expect((await makers.create(qualityCase({ rfqId: drafted.body.id }))).status).toBe(400)
  })

  test.each([
    [{ rfqId, orderId }, 'orderId'],
    [{ title: ' ' }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ kind: 'OTHER' }, 'kind'],
    [{ description: 'x'.repeat(10_001) }, 'description'],
    [{ state: 'CLOSED' }, 'state'],
  ])('a body with %p is 400 for %s', async (more, field) => {
    const answer = await own.create(qualityCase(more))
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
  })

  test('the same Idempotency-Key creates one case and emits one event', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const events = await caseEventsOf(market, async () => {
      const [first, second] = [await own.create(qualityCase(), headers), await own.create(qualityCase(), headers)]
      expect([second.status, second.body]).toEqual([first.status, first.body])
      expect((await own.create(qualityCase({ title: 'Another' }), headers)).status).toBe(409)
    })
    expect(events).toHaveLength(1)
  })
})

describe('patch', () => {
  test('changes title and description, null clears the description, and the parties are notified', async () => {
    const { id } = await created({ description: 'Pores.', orderId })
    const events = await caseEventsOf(market, async () => {
      const { status, body } = await makers.patch(id, { title: 'Pores at the flange', description: null })
      expect([status, body.title, body.description]).toEqual([200, 'Pores at the flange', undefined])
    })
    expect(events.map(({ type }) => type)).toEqual(Array(4).fill('cases.updated'))
    expect(events[0]?.data).toEqual({ case: inEvents((await own.read(id)).body) })
  })

  test('without a change it writes nothing and emits nothing', async () => {
    const made = await created()
    const events = await caseEventsOf(market, async () => {
      expect((await own.patch(made.id, { title: made.title, description: null })).body).toEqual(made)
    })
    expect(events).toEqual([])
  })

  test('with the tag of an older version it is 412', async () => {
    const { id } = await created()
    const etag = (await own.read(id)).headers.get('etag') as string
    expect((await own.patch(id, { title: 'Second' }, { 'if-match': etag })).status).toBe(200)
    expect((await own.patch(id, { title: 'Third' }, { 'if-match': etag })).status).toBe(412)
  })

  test.each([{ title: null }, { kind: 'SOURCING' }, { state: 'CLOSED' }, { rfqId: 'rfq_1' }])(
    'with %p it is 400',
    async (body) => expect((await own.patch((await created()).id, body)).status).toBe(400),
  )
})

test("another organization's case is 404 for every request, byte for byte like an unknown one", async () => {
  const { id } = await created()
  const withoutIds = (text: string) => text.replace(/"(requestId|instance)":"[^"]*"/g, '')
  const requests = [
    (of: string) => foreign.read(of),
    (of: string) => foreign.patch(of, { title: 'Another' }),
    ...['close', 'reopen', 'archive', 'unarchive'].map((verb) => (of: string) => foreign.act(of, verb)),
    (of: string) => foreign.tasks(of).list(),
    (of: string) => foreign.tasks(of).create({ title: 'Report' }),
    (of: string) => foreign.expenses(of).list(),
  ]
  for (const request of requests) {
    const [hidden, unknown] = [await request(id), await request('case_01JZ8Q4D3R1G5M7VJ0T6W2X9YB')]
    expect([hidden.status, withoutIds(hidden.text)]).toEqual([404, withoutIds(unknown.text)])
  }
  expect((await own.read(id)).body.state).toBe('OPEN')
})

describe('permissions', () => {
  test('case:read reads and changes nothing', async () => {
    const { id } = await created()
    const reader = casesOf((await consumer.member(['case:read'])).client)
    expect((await reader.read(id)).status).toBe(200)
    expect((await reader.list()).status).toBe(200)
    for (const answer of [
      await reader.create(qualityCase()),
      await reader.patch(id, { title: 'Another' }),
      await reader.act(id, 'close'),
      await reader.tasks(id).create({ title: 'Report' }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    }
  })

  test('without case:read a case and the list are 403, also with case:manage', async () => {
    const { id } = await created()
    const manager = casesOf((await consumer.member(['case:manage'])).client)
    expect([(await manager.read(id)).status, (await manager.list()).status]).toEqual([403, 403])
    expect((await manager.act(id, 'close')).status).toBe(200)
  })
})

describe('the list', () => {
  test('has the cases of the organization, newest first, by each filter and by several', async () => {
    const lone = await market.organization(['CONSUMER'])
    const requests = casesOf(lone.administrator.client)
    const ids: string[] = []
    for (const body of [qualityCase(), qualityCase({ kind: 'SOURCING' }), qualityCase()]) {
      ids.unshift((await requests.create(body)).body.id)
    }
    const [newest, sourcing, oldest] = ids as [string, string, string]
    await requests.act(oldest, 'close')
    const listed = async (query: string) => (await requests.list(query)).body.items.map(({ id }) => id)
    expect(await listed('')).toEqual(ids)
    expect(await listed('?kind=QUALITY')).toEqual([newest, oldest])
    expect(await listed('?state=CLOSED')).toEqual([oldest])
    expect(await listed('?state=OPEN&kind=SOURCING')).toEqual([sourcing])
    expect(await listed('?rfqId=rfq_unknown')).toEqual([])
    expect(await listed('?page=2&pageSize=1')).toEqual([sourcing])
    expect((await requests.list('?state=DONE')).status).toBe(400)
  })

  test('filters by RFQ and by order', async () => {
    const [ofRfq, ofOrder] = [await created({ rfqId }), await created({ orderId })]
    const listed = async (query: string) => (await own.list(query)).body.items.map(({ id }) => id)
    expect(await listed(`?rfqId=${rfqId}`)).toContain(ofRfq.id)
    expect(await listed(`?rfqId=${rfqId}&kind=QUALITY`)).not.toContain(ofOrder.id)
    expect(await listed(`?orderId=${orderId}`)).toContain(ofOrder.id)
  })
})

test('each command writes an audit entry with its procedure', async () => {
  const { id } = await created()
  await own.patch(id, { title: 'Another' })
  for (const verb of ['close', 'archive', 'unarchive', 'reopen']) await own.act(id, verb)
  await own.act(id, 'reopen')
  for (const verb of ['patch', 'close', 'archive', 'unarchive', 'reopen']) {
    const entries = await entriesOf(market, consumer.orgId, `case.${verb}`)
    expect([verb, entries.filter(({ request, success }) => request.id === id && success).length]).toEqual([verb, 1])
  }
  const [refused] = (await entriesOf(market, consumer.orgId, 'case.reopen')).filter(({ success }) => !success)
  expect(refused?.error).toBe('illegal_transition')
  const creations = await entriesOf(market, consumer.orgId, 'case.create')
  expect(creations.filter(({ request }) => request.caseId === id)).toHaveLength(1)
})

test('every emitted event matches the schema of its type', async () => {
  const events = await caseEventsOf(market, async () => {
    const { id } = await created({ orderId, description: 'Pores.' })
    for (const verb of ['close', 'archive', 'unarchive', 'reopen']) await own.act(id, verb)
    await open()
  })
  expect(events.length).toBeGreaterThan(20)
  for (const { type, data } of events)
    expect([type, TypeCompiler.Compile(CASE_EVENTS[type]).Check(data)]).toEqual([type, true])
})
