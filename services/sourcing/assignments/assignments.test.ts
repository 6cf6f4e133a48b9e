import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ASSIGNMENT_EVENTS } from '../../../proto/events/assignments.ts'
import { Assignment } from '../../../proto/http/sourcing/assignments.ts'
import { assignmentOf, assignmentsOf, eventsOf } from '../../testing/assignments.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, maker, rival, seller, distributor, stranger, open, offer, ordersOfRfq } =
  await awardParties(market)
const { award } = awardsOf(consumer.administrator.client)
const trade = await orderParties(market)
const isAssignment = TypeCompiler.Compile(Assignment)
const UNKNOWN = 'assignment_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** The assignments of the orders of a new RFQ that is awarded to both manufacturers. */
async function awarded(more: object = {}) {
  const rfqId = await open()
  const awards = [
    { offerId: await offer(rfqId, maker), quantity: 10 },
    { offerId: await offer(rfqId, rival), quantity: 1 },
  ]
  expect((await award(rfqId, { awards, ...more })).status).toBe(200)
  const orders = await ordersOfRfq(rfqId)
  const ids = await Promise.all(orders.map(({ id }) => assignmentOf(owner, id)))
  return { orders, ids }
}

describe('an award', () => {
  test('opens one assignment for each order, without prices, which each organization of the order reads', async () => {
    const { orders, ids } = await awarded({ sellerOrgId: seller.orgId })
    expect(new Set(ids).size).toBe(2)
    const [order] = orders
    const [id = ''] = ids
    const answer = await assignmentsOf(consumer.administrator.client).read(id)
    expect(answer.status).toBe(200)
    expect(isAssignment.Check(answer.body)).toBe(true)
    expect(answer.body).toEqual({
      id,
      orderId: order?.id ?? '',
      orderSerialNumber: order?.serialNumber ?? '',
      rfqId: order?.rfqId ?? '',
      partId: order?.partId ?? '',
      factoryId: order?.factoryId ?? '',
      consumerOrgId: consumer.orgId,
      ipOwnerOrgId: ipOwner.orgId,
      manufacturerOrgId: maker.orgId,
      sellerOrgId: seller.orgId,
      distributorOrgId: distributor.orgId,
      status: 'PLACED',
      archived: false,
      dueDate: order?.dueDate ?? '',
      createdTime: order?.createdTime ?? '',
      updatedTime: order?.createdTime ?? '',
    })
    for (const org of [ipOwner, maker, seller, distributor]) {
      expect((await assignmentsOf(org.administrator.client).read(id)).text).toBe(answer.text)
    }
    expect((await assignmentsOf(rival.administrator.client).read(id)).status).toBe(404)
  })

  test('tells each distinct organization of each order once, with an id of its own and the placed order as cause', async () => {
    const { orders, ids } = await awarded()
    const all = await Promise.all(ids.map((id) => eventsOf(owner, id)))
    for (const [index, events] of all.entries()) {
      const made = [maker, rival][index]?.orgId as string
      const parties = [consumer.orgId, ipOwner.orgId, made, distributor.orgId]
      expect(events.map(({ type }) => type)).toEqual(parties.map(() => 'assignments.created'))
      expect(events.map(({ tenantId }) => tenantId)).toEqual(parties)
      const cause = { event: 'sourcing.order.placed', id: orders[index]?.id as string }
      for (const { data } of events) {
        expect(data.cause).toEqual(cause)
        expect(data.assignment).toMatchObject({ id: ids[index] as string, status: 'PLACED', manufacturerOrgId: made })
        expect(TypeCompiler.Compile(ASSIGNMENT_EVENTS['assignments.created']).Check(data)).toBe(true)
      }
    }
    expect(new Set(all.flat().map(({ id }) => id)).size).toBe(8)
  })

  test('that is refused opens none', async () => {
    const rfqId = await open()
    const count = () => owner`select from sourcing.assignments`.then(({ length }) => length)
    const before = await count()
    const awards = [{ offerId: await offer(rfqId, maker), quantity: 10 }]
    expect((await award(rfqId, { awards: [...awards, { offerId: 'offer_x', quantity: 1 }] })).status).toBe(400)
    expect(await count()).toBe(before)
  })

  test('no event of an assignment contains an amount of its order', async () => {
    const { orders, ids } = await awarded()
    const amounts = orders.flatMap(({ unitPrice, total, toolingCost, shippingCost }) =>
      [unitPrice, total, toolingCost, shippingCost].flatMap((money) => money?.amount ?? []),
    )
    expect(amounts.length).toBe(8)
    const rows = await owner<{ line: string }[]>`
      select data::text as line from sourcing.outbox where type like 'assignments.%' and subject = any(${ids})`
    expect(rows).toHaveLength(8)
    for (const { line } of rows) {
      for (const amount of [...amounts, '95.5', 'amount', 'EUR', 'quantity']) expect(line).not.toContain(amount)
    }
  })
})

describe('GET /flows/v1/assignments/{id}', () => {
  test("another organization's assignment is 404, like an unknown id, byte for byte", async () => {
    const { ids } = await awarded()
    const client = assignmentsOf(stranger.administrator.client)
    const [foreign, unknown] = [await client.read(ids[0] as string), await client.read(UNKNOWN)]
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    const comparable = ({ text }: { text: string }) => {
      const { requestId, instance, ...rest } = JSON.parse(text)
      expect([typeof requestId, typeof instance]).toEqual(['string', 'string'])
      return rest
    }
    expect(comparable(foreign)).toEqual(comparable(unknown))
  })

  test('without assignment:read is 403, for an unknown id too', async () => {
    const { client } = await consumer.member(['case:read'])
    const { ids } = await awarded()
    for (const id of [ids[0] as string, UNKNOWN]) expect((await assignmentsOf(client).read(id)).status).toBe(403)
    expect((await assignmentsOf(client).list()).status).toBe(403)
  })

  test('a buyer, a manufacturer, a seller and a distributor read it by their system roles', async () => {
    const { ids } = await awarded({ sellerOrgId: seller.orgId })
    const roles = [
      [consumer, 'Buyer'],
      [maker, 'Manufacturer'],
      [seller, 'Seller'],
      [distributor, 'Distributor'],
    ] as const
    for (const [org, role] of roles) {
      expect((await assignmentsOf((await org.member(role)).client).read(ids[0] as string)).status).toBe(200)
    }
  })
})

describe('GET /flows/v1/assignments', () => {
  const place = async (more: Parameters<typeof trade.place>[0] = {}) => assignmentOf(owner, await trade.place(more))

  test('lists the assignments of the organization, newest first, with each filter', async () => {
    const first = await place()
    const second = await place({ state: 'CONFIRMED' })
    const third = await place({ state: 'COMPLETED', partId: 'part_other', factoryId: 'factory_other' })
    for (const org of [trade.consumer, trade.ipOwner, trade.maker, trade.seller, trade.distributor]) {
      const { list, read } = assignmentsOf(org.administrator.client)
      const idsOf = async (query: string) => (await list(query)).body.items.map(({ id }) => id)
      expect(await idsOf('')).toEqual([third, second, first])
      expect(await idsOf('?status=CONFIRMED')).toEqual([second])
      expect(await idsOf('?status=ON_HOLD')).toEqual([])
      expect(await idsOf('?partId=part_other')).toEqual([third])
      expect(await idsOf(`?factoryId=${trade.factoryId}&status=PLACED`)).toEqual([first])
      expect(await idsOf(`?orderId=${(await read(second)).body.orderId}`)).toEqual([second])
      expect(await idsOf(`?orderId=${(await read(second)).body.orderId}&status=PLACED`)).toEqual([])
      expect(await idsOf('?orderId=order_unknown')).toEqual([])
      expect(await idsOf(`?rfqId=${(await read(second)).body.rfqId}`)).toEqual([second])
      expect(await idsOf(`?rfqId=${(await read(second)).body.rfqId}&status=PLACED`)).toEqual([])
      expect(await idsOf('?rfqId=rfq_unknown')).toEqual([])
    }
    const { list, act } = assignmentsOf(trade.maker.administrator.client)
    expect((await act(third, 'archive')).status).toBe(200)
    expect((await list('?archived=true')).body.items.map(({ id }) => id)).toEqual([third])
    expect((await list('?archived=false')).body.items.map(({ id }) => id)).toEqual([second, first])
    const pages = [await list('?pageSize=2'), await list('?pageSize=2&page=2')]
    expect(pages.map(({ body }) => [body.items.length, body.hasMore])).toEqual([
      [2, true],
      [1, false],
    ])
    expect((await assignmentsOf(trade.stranger.administrator.client).list()).body).toEqual({
      items: [],
      hasMore: false,
    })
  })

  test.each(['?status=OPEN', '?archived=yes', '?archived=', '?page=0', '?pageSize=51'])('%s is 400', async (query) => {
    expect((await assignmentsOf(trade.maker.administrator.client).list(query)).status).toBe(400)
  })

  test("a filter by another organization's order or RFQ lists nothing", async () => {
    const { orders } = await awarded()
    const { list } = assignmentsOf(trade.maker.administrator.client)
    expect((await list(`?orderId=${orders[0]?.id}`)).body.items).toEqual([])
    expect((await list(`?rfqId=${orders[0]?.rfqId}`)).body.items).toEqual([])
  })
})

describe('archive and unarchive', () => {
  const of = (org: typeof consumer) => assignmentsOf(org.administrator.client)
  const place = async (state: 'COMPLETED' | 'DECLINED' | 'CANCELLED' | 'SHIPPED') =>
    assignmentOf(owner, await trade.place({ state }))

  test.each(['COMPLETED', 'DECLINED', 'CANCELLED'] as const)(
    'by any organization of an order that is %s; each organization is notified',
    async (state) => {
      const id = await place(state)
      const archived = await of(trade.distributor).act(id, 'archive')
      expect([archived.status, archived.body.archived, archived.body.status]).toEqual([200, true, state])
      expect(isAssignment.Check(archived.body)).toBe(true)
      expect((await of(trade.consumer).read(id)).text).toBe(archived.text)
      const unarchived = await of(trade.seller).act(id, 'unarchive')
      expect([unarchived.status, unarchived.body.archived]).toEqual([200, false])
      const events = await eventsOf(owner, id)
      expect(events.map(({ type }) => type)).toEqual([
        ...Array.from({ length: 5 }, () => 'assignments.archived'),
        ...Array.from({ length: 5 }, () => 'assignments.unarchived'),
      ])
      expect(events.map(({ data }) => [data.assignment.archived, data.cause])).toEqual([
        ...Array.from({ length: 5 }, () => [true, undefined]),
        ...Array.from({ length: 5 }, () => [false, undefined]),
      ] as never)
    },
  )

  test('archive of an unfinished order, or twice, and unarchive of what is not archived, are 409', async () => {
    const shipped = await place('SHIPPED')
    const refused = await of(trade.maker).act(shipped, 'archive')
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      409,
      'illegal_transition',
      'The order is SHIPPED, not COMPLETED, DECLINED or CANCELLED.',
    ])
    expect((await of(trade.maker).act(shipped, 'unarchive')).status).toBe(409)
    const done = await place('COMPLETED')
    expect((await of(trade.maker).act(done, 'archive')).status).toBe(200)
    expect((await of(trade.maker).act(done, 'archive')).status).toBe(409)
    expect((await eventsOf(owner, shipped)).length).toBe(0)
  })

  test('without assignment:manage is 403, and by another organization 404', async () => {
    const id = await place('COMPLETED')
    const reader = assignmentsOf((await trade.consumer.member(['assignment:read'])).client)
    for (const verb of ['archive', 'unarchive']) {
      expect((await reader.act(id, verb)).status).toBe(403)
      expect((await of(trade.stranger).act(id, verb)).status).toBe(404)
      expect((await of(trade.maker).act(UNKNOWN, verb)).status).toBe(404)
    }
    expect((await of(trade.maker).read(id)).body.archived).toBe(false)
  })

  test('writes an audit entry', async () => {
    const id = await place('COMPLETED')
    await of(trade.maker).act(id, 'archive')
    const [entry] = await owner`
      select procedure, success, request from organization.audit_log
      where org_id = ${trade.maker.orgId} and procedure like 'assignment.%' order by id desc limit 1`
    expect(entry).toEqual({ procedure: 'assignment.archive', success: true, request: { id } })
  })
})
