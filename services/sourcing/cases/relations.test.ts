import { describe, expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { caseEventsOf, casesOf, qualityCase } from '../../testing/cases.ts'
import { marketplaceOf, RACING, type TestOrganization } from '../../testing/marketplace.ts'
import { euros, offerParties } from '../../testing/offers.ts'
import { insertOrder } from '../../testing/orders.ts'
import { rfqsOf } from '../../testing/rfqs.ts'
import { insertSubrecords } from '../../testing/subrecords.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const { consumer, ipOwner, maker, rival, buyer, open, submittedOffer } = await offerParties(market)
const requestsOf = ({ administrator }: TestOrganization) => casesOf(administrator.client)
const [own, makers, owners] = [requestsOf(consumer), requestsOf(maker), requestsOf(ipOwner)]
const both = { manufacturerIds: [maker.orgId, rival.orgId] }

/** Inserts an order of the parties. It has ended some days ago where the days are given. */
async function ordered(state: 'PLACED' | 'DELIVERED' | 'COMPLETED' | 'DECLINED' | 'CANCELLED', endedDays = 0) {
  const id = await insertOrder(market.db.owner, {
    consumerOrgId: consumer.orgId,
    ipOwnerOrgId: ipOwner.orgId,
    manufacturerOrgId: maker.orgId,
    sellerOrgId: maker.orgId,
    partId: 'part_1',
    factoryId: 'factory_1',
    state,
  })
  await market.db.owner`
    update sourcing.orders set updated_at = now() - make_interval(mins => ${endedDays * 24 * 60 + 1}) where id = ${id}`
  return id
}

const created = async (by: TestOrganization, reference: object) => {
  const { status, body } = await requestsOf(by).create(qualityCase(reference))
  expect(status).toBe(201)
  return body.id
}

/** The statuses of every change of an OPEN case with a task and an expense of the organization. */
async function changes(id: string, by: TestOrganization, taskId: string, expenseId: string) {
  const requests = requestsOf(by)
  const expense = { description: 'Freight', amount: euros('1'), incurredDate: '2026-04-29' }
  const answers = [
    await requests.patch(id, { title: crypto.randomUUID() }),
    await requests.tasks(id).create({ title: 'Report' }),
    await requests.tasks(id).patch(taskId, { title: crypto.randomUUID() }),
    await requests.tasks(id).act(taskId, 'complete'),
    await requests.tasks(id).remove(taskId),
    await requests.expenses(id).create(expense),
    await requests.expenses(id).patch(expenseId, { description: crypto.randomUUID() }),
    await requests.expenses(id).remove(expenseId),
  ]
  return answers.map(({ status }) => status)
}

/** A case about the record with a task and an expense of its organization. */
async function filled(by: TestOrganization, reference: object) {
  const id = await created(by, reference)
  const task = await requestsOf(by).tasks(id).create({ title: 'Report' })
  const expense = { description: 'Freight', amount: euros('1'), incurredDate: '2026-04-29' }
  const { body } = await requestsOf(by).expenses(id).create(expense)
  return { id, taskId: task.body.id, expenseId: body.id }
}
const REFUSED = Array(8).fill(409)
const ALLOWED = [200, 201, 200, 200, 204, 201, 200, 204]

describe('a new case about an RFQ', () => {
  test('is refused to a manufacturer that declined, and to no other organization', async () => {
    const rfqId = await open(both)
    await rfqsOf(maker.administrator.client).act(rfqId, 'decline')
    const events = await caseEventsOf(market, async () => {
      const { status, body } = await makers.create(qualityCase({ rfqId }))
      expect([status, body.code, body.errors]).toEqual([
        409,
        'illegal_transition',
        [{ field: 'rfqId', message: 'is declined by its organization' }],
      ])
    })
    expect(events).toEqual([])
    for (const by of [consumer, ipOwner, rival]) await created(by, { rfqId })
    await buyer.act(rfqId, 'invite', { manufacturerIds: [maker.orgId] })
    await created(maker, { rfqId })
  })

  test('is allowed until the RFQ is AWARDED or CANCELLED, then refused to every organization', async () => {
    const [awarded, cancelled] = [await open(both), await open(both)]
    const offerId = await submittedOffer({}, awarded)
    for (const id of [awarded, cancelled]) await buyer.act(id, 'close')
    for (const by of [consumer, ipOwner, maker, rival]) await created(by, { rfqId: cancelled })
    await awardsOf(consumer.administrator.client).accept(offerId, { quantity: 10 })
    await buyer.act(cancelled, 'cancel', { reason: 'Sold.' })
    for (const [rfqId, state] of [
      [awarded, 'AWARDED'],
      [cancelled, 'CANCELLED'],
    ] as const) {
      for (const by of [consumer, ipOwner, maker, rival]) {
        const { status, body } = await requestsOf(by).create(qualityCase({ rfqId }))
        expect([status, body.errors]).toEqual([409, [{ field: 'rfqId', message: `is ${state}` }]])
      }
    }
  })
})

describe('a new case about an order', () => {
  test.each(['COMPLETED', 'DECLINED', 'CANCELLED'] as const)(
    'is allowed until 90 days after it is %s',
    async (state) => {
      for (const by of [consumer, ipOwner, maker]) await created(by, { orderId: await ordered(state, 89) })
      const { status, body } = await own.create(qualityCase({ orderId: await ordered(state, 90) }))
      expect([status, body.code, body.errors]).toEqual([
        409,
        'illegal_transition',
        [{ field: 'orderId', message: 'ended more than 90 days ago' }],
      ])
    },
  )

  test.each(['PLACED', 'DELIVERED'] as const)('that is %s is always allowed', async (state) => {
    await created(maker, { orderId: await ordered(state, 1000) })
  })
})

describe('an open case whose relation has ended', () => {
  test('is changed by no party, with its tasks and expenses, and can be closed and archived', async () => {
    const rfqId = await open(both)
    const { id, taskId, expenseId } = await filled(maker, { rfqId })
    await rfqsOf(maker.administrator.client).act(rfqId, 'decline')
    const events = await caseEventsOf(market, async () => {
      expect(await changes(id, maker, taskId, expenseId)).toEqual(REFUSED)
      const consumers = await changes(id, consumer, taskId, expenseId)
      // The task and the expense of another organization are not found.
      expect(consumers).toEqual([409, 409, 404, 409, 404, 409, 404, 404])
    })
    expect(events).toEqual([])
    expect((await makers.patch(id, { title: 'X' })).body.detail).toBe(
      'The case can no longer be changed, because the RFQ is declined by its organization.',
    )
    expect((await own.act(id, 'close')).status).toBe(200)
    expect((await own.act(id, 'reopen')).status).toBe(409)
    expect((await makers.act(id, 'archive')).status).toBe(200)
    expect((await makers.act(id, 'unarchive')).status).toBe(409)
    await buyer.act(rfqId, 'invite', { manufacturerIds: [maker.orgId] })
    expect((await own.act(id, 'unarchive')).status).toBe(200)
    expect((await own.act(id, 'reopen')).status).toBe(200)
    expect(await changes(id, maker, taskId, expenseId)).toEqual(ALLOWED)
  })

  test('of a cancelled RFQ, and of an order 90 days after its end, is not changed either', async () => {
    const rfqId = await open()
    const ofRfq = await filled(ipOwner, { rfqId })
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    expect(await changes(ofRfq.id, ipOwner, ofRfq.taskId, ofRfq.expenseId)).toEqual(REFUSED)
    const orderId = await ordered('COMPLETED', 0)
    const ofOrder = await filled(maker, { orderId })
    await market.db.owner`update sourcing.orders set updated_at = now() - interval '91 days' where id = ${orderId}`
    expect(await changes(ofOrder.id, maker, ofOrder.taskId, ofOrder.expenseId)).toEqual(REFUSED)
    expect((await makers.read(ofOrder.id)).status).toBe(200)
  })

  test('to which its organization alone is a party stays open for changes', async () => {
    const rfqId = await open()
    const { id, taskId, expenseId } = await filled(consumer, { rfqId })
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    expect(await changes(id, consumer, taskId, expenseId)).toEqual(ALLOWED)
  })
})

describe('reopen', () => {
  test('is only for the organization that closed the case; for other parties it is 404', async () => {
    const id = await created(maker, { orderId: await ordered('PLACED') })
    const { body } = await own.act(id, 'close')
    expect([body.state, body.closedByOrgId]).toEqual(['CLOSED', consumer.orgId])
    for (const requests of [makers, owners]) expect((await requests.act(id, 'reopen')).status).toBe(404)
    await makers.act(id, 'archive')
    await owners.act(id, 'unarchive')
    expect((await makers.act(id, 'reopen')).status).toBe(404)
    const reopened = await own.act(id, 'reopen')
    expect([reopened.status, reopened.body.state, reopened.body.closedByOrgId]).toEqual([200, 'OPEN', undefined])
    await makers.act(id, 'close')
    expect([(await own.act(id, 'reopen')).status, (await makers.act(id, 'reopen')).status]).toEqual([404, 200])
  })

  test('of a case that the end of its RFQ closed is 409', async () => {
    const rfqId = await open()
    const [followed] = (await owners.list(`?rfqId=${rfqId}`)).body.items
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    const { status, body } = await owners.act(followed?.id as string, 'reopen')
    expect([status, body.detail]).toEqual([409, 'The RFQ closed the case.'])
  })

  test('of a case that its organization closed before the end of its RFQ is 200', async () => {
    const rfqId = await open()
    const [followed] = (await owners.list(`?rfqId=${rfqId}`)).body.items
    await owners.act(followed?.id as string, 'close')
    await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    expect((await owners.act(followed?.id as string, 'reopen')).status).toBe(200)
  })
})

describe('the limits of cases about one record', () => {
  const many = (count: number, reference: object, requests = makers) =>
    Promise.all(Array.from({ length: count }, () => requests.create(qualityCase(reference))))
  const statusesOf = (answers: { status: number }[]) =>
    [201, 409].map((status) => answers.filter((answer) => answer.status === status).length)

  test('an organization has at most 20 open ones, also of concurrent requests', async () => {
    const [rfqId, orderId] = [await open(both), await ordered('PLACED')]
    for (const reference of [{ rfqId }, { orderId }]) {
      const answers = await many(26, reference)
      expect(statusesOf(answers)).toEqual([20, 6])
      const { code, detail } = answers.find(({ status }) => status === 409)?.body ?? {}
      expect([code, detail]).toEqual([
        'limit_reached',
        'An organization has at most 20 OPEN cases of its own about one record, and 200 with those that it closed itself. All organizations together have at most 400; beyond that, each one still has its first 20.',
      ])
    }
    // Other organizations, records, and cases without one have room.
    await created(rival, { rfqId })
    await created(consumer, { rfqId })
    await created(maker, { rfqId: await open() })
    await created(maker, {})
  })

  test('a case that is closed gives room, which its reopening needs too', async () => {
    const orderId = await ordered('PLACED')
    const [first] = await many(20, { orderId })
    const id = first?.body.id as string
    await own.act(id, 'close')
    const answers = await Promise.all([makers.create(qualityCase({ orderId })), own.act(id, 'reopen')])
    expect(answers.map(({ status }) => status >= 300).toSorted()).toEqual([false, true])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('limit_reached')
  })

  test('an organization has at most 200 with those that it closed itself', async () => {
    const orderId = await ordered('PLACED')
    const id = await created(maker, { orderId })
    await market.db.owner`
      insert into sourcing.cases (
        id, kind, state, title, order_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
      select id || n, kind, 'CLOSED', title, order_id, org_id, party_org_ids, false, created_at, updated_at
      from sourcing.cases, generate_series(1, 198) n where id = ${id}`
    expect(statusesOf(await many(4, { orderId }))).toEqual([1, 3])
    // Those that another organization closed do not count: otherwise it could use up the room.
    await market.db.owner`update sourcing.cases set closed_by_org_id = ${maker.orgId} where id = ${`${id}1`}`
    expect(statusesOf(await many(2, { orderId }))).toEqual([0, 2])
    await market.db.owner`update sourcing.cases set closed_by_org_id = ${consumer.orgId} where id = ${`${id}1`}`
    expect(statusesOf(await many(2, { orderId }))).toEqual([1, 1])
  })

  test('all organizations together have at most 400, also those that another one closed, and each one its first 20', async () => {
    const [rfqId, orderId] = [await open(both), await ordered('PLACED')]
    for (const reference of [{ rfqId }, { orderId }]) {
      const id = await created(maker, reference)
      await market.db.owner`
        insert into sourcing.cases (
          id, kind, state, title, rfq_id, order_id, org_id, party_org_ids, follows_rfq, closed_by_org_id, created_at,
          updated_at)
        select id || n, kind, 'CLOSED', title, rfq_id, order_id, org_id, party_org_ids, false, ${consumer.orgId}, created_at,
          updated_at
        from sourcing.cases, generate_series(1, 396) n where id = ${id}`
      const answers = [...(await many(4, reference)), ...(await many(3, reference, own))]
      // The first cases of the consumer have room, although the maker has used up the rest.
      expect(statusesOf(answers)).toEqual([6, 1])
      const ofConsumer = answers.at(-1)?.body.id ?? ''
      await market.db.owner`
        insert into sourcing.cases (
          id, kind, state, title, rfq_id, order_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
        select id || n, kind, 'CLOSED', title, rfq_id, order_id, org_id, party_org_ids, false, created_at, updated_at
        from sourcing.cases, generate_series(1, 16) n where id = ${ofConsumer}`
      expect(statusesOf(await many(3, reference, own))).toEqual([1, 2])
      // A case that exists is reopened by the organization that closed it.
      await makers.act(id, 'close')
      expect((await makers.act(id, 'reopen')).status).toBe(200)
    }
    // The cases that an RFQ opens by itself have room.
    const other = await open({ manufacturerIds: [maker.orgId] })
    await market.db.owner`
      insert into sourcing.cases (
        id, kind, state, title, rfq_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
      select ${other} || n, 'QUALITY', 'CLOSED', 'A', ${other}, ${maker.orgId}, array[${maker.orgId}], false, now(), now()
      from generate_series(1, 400) n`
    expect((await buyer.act(other, 'invite', { manufacturerIds: [rival.orgId] })).status).toBe(200)
  })
})

test('an organization has at most 200 tasks and 200 expenses of its own in a case, so that it leaves room to others', async () => {
  const id = await created(maker, { orderId: await ordered('PLACED') })
  const expense = { description: 'Freight', amount: euros('1'), incurredDate: '2026-04-29' }
  for (const kind of ['task', 'expense'] as const) {
    await insertSubrecords(market.db.owner, { kind, parentId: id, orgId: consumer.orgId }, 200)
  }
  for (const answer of [await own.tasks(id).create({ title: 'Report' }), await own.expenses(id).create(expense)]) {
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
  }
  expect((await makers.tasks(id).create({ title: 'Report' })).status).toBe(201)
  expect((await makers.expenses(id).create(expense)).status).toBe(201)
})
