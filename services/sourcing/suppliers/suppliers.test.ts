import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Supplier } from '../../../proto/http/sourcing/suppliers.ts'
import type { OrderState } from '../../../proto/states/orders.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { insertOrder, orderParties } from '../../testing/orders.ts'
import type { Problem } from '../../testing/people.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, maker, seller, distributor, stranger, parties } = await orderParties(market)
const [rival, late, idle] = await Promise.all(['B', 'C', 'D'].map(() => market.organization(['MANUFACTURER'])))
if (!rival || !late || !idle) throw new Error('an organization is missing')
for (const [org, name] of [
  [maker, 'Alta Forge'],
  [rival, 'Bergen Castings'],
  [late, 'Cork Machining'],
  [idle, 'Delft Print'],
] as const) {
  await owner`update organization.organizations set name = ${name} where id = ${org.orgId}`
}
const isSupplier = TypeCompiler.Compile(Supplier)

interface Measured {
  by?: TestOrganization
  for?: TestOrganization
  state?: OrderState
  placed?: string
  due?: string
  /** Null: not everything has arrived. */
  arrived?: string | null
  shipped?: number
  rejected?: number
  remade?: number
}

/** An order of ten pieces, by default placed on 1 May, due on the 29th and arrived then. */
async function order({
  by = maker,
  for: buyer = consumer,
  state = 'COMPLETED',
  placed = '2031-05-01T12:00:00Z',
  due = '2031-05-29',
  arrived = '2031-05-29T23:59:59.999Z',
  shipped = 10,
  rejected = 0,
  remade = 0,
}: Measured = {}) {
  const orgIds = { consumerOrgId: buyer.orgId, manufacturerOrgId: by.orgId, sellerOrgId: by.orgId }
  const id = await insertOrder(owner, { ...parties, ...orgIds, state })
  await owner`
    update sourcing.orders set created_at = ${placed}, due_date = ${due}, arrived_at = ${arrived},
      shipped_quantity = ${shipped}, accepted_quantity = ${shipped - rejected}, rejected_quantity = ${rejected},
      remade_quantity = ${remade}
    where id = ${id}`
  return id
}

const list = (query = '', by = consumer) =>
  by.administrator.client.get<{ items: Supplier[]; hasMore: boolean } & Problem>(`/flows/v1/suppliers${query}`)
const batch = (ids: unknown, by = consumer) =>
  by.administrator.client.post<{ items: Supplier[] } & Problem>('/flows/v1/suppliers:batch-get', { ids })
const of = async ({ orgId }: TestOrganization) => {
  const { status, body } = await list(`?manufacturerOrgId=${orgId}`)
  expect([status, body.items.length]).toEqual([200, 1])
  expect(isSupplier.Check(body.items[0])).toBe(true)
  return body.items[0]
}

test('an organization that has ordered nothing has no suppliers', async () => {
  expect((await list()).body).toEqual({ items: [], hasMore: false } as never)
})

describe('the figures of a manufacturer', () => {
  test('before it has finished an order are none', async () => {
    for (const state of ['PLACED', 'CONFIRMED', 'SHIPPED', 'DECLINED', 'CANCELLED'] as const)
      await order({ state, arrived: null })
    expect(await of(maker)).toEqual({
      manufacturerOrgId: maker.orgId,
      manufacturerName: 'Alta Forge',
      finishedOrders: 0,
      isSmallSample: true,
    })
  })

  test('count DELIVERED and COMPLETED orders, also those that were settled early, and no others', async () => {
    await order({ state: 'DELIVERED' })
    await order({ state: 'COMPLETED' })
    expect(await of(maker)).toMatchObject({ finishedOrders: 2, isSmallSample: true })
    // On its way again after a rejection.
    await order({ state: 'IN_PRODUCTION', rejected: 2, remade: 2, arrived: null })
    expect(await of(maker)).toMatchObject({ finishedOrders: 2, isSmallSample: true })
    // Settled before everything was shipped: it is late, and its rejected pieces count.
    await order({ shipped: 6, rejected: 6 })
    expect(await of(maker)).toMatchObject({
      finishedOrders: 3,
      isSmallSample: false,
      onTimeShare: 0.6667,
      rejectedShare: 0.2308,
    })
  })

  test('count an order as on time that had arrived on its due date in UTC, and a millisecond later as late', async () => {
    await order({ by: late, arrived: '2031-05-29T23:59:59.999Z' })
    expect(await of(late)).toMatchObject({ finishedOrders: 1, onTimeShare: 1 })
    await order({ by: late, arrived: '2031-05-30T00:00:00Z' })
    expect(await of(late)).toMatchObject({ finishedOrders: 2, onTimeShare: 0.5 })
    await order({ by: late, arrived: '2031-06-30T00:00:00Z' })
    expect(await of(late)).toMatchObject({ finishedOrders: 3, onTimeShare: 0.3333 })
  })

  test('have the rejected share of all shipped pieces, those that were made again included', async () => {
    await order({ by: rival, rejected: 1 })
    expect(await of(rival)).toMatchObject({ rejectedShare: 0.1 })
    await order({ by: rival, rejected: 0 })
    expect(await of(rival)).toMatchObject({ rejectedShare: 0.05 })
    await order({ by: rival, shipped: 12, rejected: 2, remade: 2 })
    expect(await of(rival)).toMatchObject({ rejectedShare: 0.0938, onTimeShare: 1 })
  })

  test('have the median of the days from the award to the arrival, between two of an even number', async () => {
    const days = async () => (await of(idle))?.medianLeadTimeDays
    await order({ by: idle, placed: '2031-05-01T23:59:00Z', arrived: '2031-05-02T00:01:00Z' })
    expect(await days()).toBe(1)
    await order({ by: idle, placed: '2031-05-01T00:00:00Z', arrived: '2031-05-31T12:00:00Z' })
    expect(await days()).toBe(15.5)
    await order({ by: idle, placed: '2031-05-01T00:00:00Z', arrived: '2031-05-05T12:00:00Z' })
    expect(await days()).toBe(4)
  })

  test('are from the orders of the caller as consumer alone', async () => {
    const before = await of(maker)
    await order({ for: stranger, rejected: 10 })
    expect(await of(maker)).toEqual(before as Supplier)
    const { body } = await list('', stranger)
    expect(body.items).toEqual([
      {
        manufacturerOrgId: maker.orgId,
        manufacturerName: 'Alta Forge',
        finishedOrders: 1,
        isSmallSample: true,
        onTimeShare: 1,
        rejectedShare: 1,
        medianLeadTimeDays: 28,
      },
    ])
  })
})

describe('the list', () => {
  test('is by name, in pages, and limited to one manufacturer by its id', async () => {
    const names = async (query: string) => {
      const { body } = await list(query)
      return [body.items.map(({ manufacturerName }) => manufacturerName), body.hasMore]
    }
    expect(await names('')).toEqual([['Alta Forge', 'Bergen Castings', 'Cork Machining', 'Delft Print'], false])
    expect(await names('?pageSize=3')).toEqual([['Alta Forge', 'Bergen Castings', 'Cork Machining'], true])
    expect(await names('?pageSize=3&page=2')).toEqual([['Delft Print'], false])
    expect(await names('?pageSize=2&page=2')).toEqual([['Cork Machining', 'Delft Print'], false])
    expect(await names(`?manufacturerOrgId=${late.orgId}`)).toEqual([['Cork Machining'], false])
    for (const id of ['org_unknown', seller.orgId, '']) {
      const answer = await list(`?manufacturerOrgId=${id}`)
      expect([answer.status, answer.body.items]).toEqual([200, []])
    }
  })

  test('and the batch are 403 without app:consumer, which only consumers have', async () => {
    for (const org of [ipOwner, maker, seller, distributor])
      expect([(await list('', org)).status, (await batch([maker.orgId], org)).status]).toEqual([403, 403])
    const viewer = await consumer.member('Viewer')
    const buyer = await consumer.member('Buyer')
    expect((await viewer.client.get('/flows/v1/suppliers')).status).toBe(403)
    expect((await buyer.client.get('/flows/v1/suppliers')).status).toBe(200)
    expect((await market.anonymous.get('/flows/v1/suppliers')).status).toBe(401)
  })
})

describe('the batch', () => {
  test('has the suppliers in the order of the request, each once, without other organizations', async () => {
    const { status, body } = await batch([late.orgId, 'org_unknown', maker.orgId, late.orgId, seller.orgId])
    expect([status, body.items]).toEqual([200, [await of(late), await of(maker)] as Supplier[]])
    expect((await batch([late.orgId], stranger)).body.items).toEqual([])
  })

  test.each([[[]], [Array.from({ length: 101 }, (_, index) => `org_${index}`)], [[1]], ['org_1']])(
    'of %p is 400',
    async (ids) => {
      expect((await batch(ids)).status).toBe(400)
    },
  )
})

test('a value that is no filter is 400', async () => {
  const { status, body } = await list('?factoryId=factory_1')
  expect([status, body.errors?.[0]?.field]).toEqual([400, 'factoryId'])
})
