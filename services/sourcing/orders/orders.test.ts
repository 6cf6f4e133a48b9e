import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Order } from '../../../proto/http/sourcing/orders.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, parties, place } = await orderParties(market)
const isOrder = TypeCompiler.Compile(Order)

const PARTIES = { CONSUMER: consumer, IP_OWNER: ipOwner, MANUFACTURER: maker, SELLER: seller, DISTRIBUTOR: distributor }
const VIEWS = Object.keys(PARTIES) as (keyof typeof PARTIES)[]
const orders = Object.fromEntries(
  [...Object.entries(PARTIES), ['stranger', stranger] as const].map(([name, { administrator }]) => [
    name,
    ordersOf(administrator.client),
  ]),
) as Record<keyof typeof PARTIES | 'stranger', ReturnType<typeof ordersOf>>

const idsIn = async (by: keyof typeof orders, query: string) => {
  const { status, body } = await orders[by].list(`?pageSize=50&${query}`)
  expect(status).toBe(200)
  return body.items.map(({ id }) => id)
}

const placed = await place()
const shipped = await place({ state: 'SHIPPED' })
const ofOtherPart = await place({ partId: 'part_other' })
const ofOtherFactory = await place({ factoryId: 'factory_other', distributorOrgId: null })
const all = [ofOtherFactory, ofOtherPart, shipped, placed]

describe('GET /v1/orders/{id}', () => {
  test('each of the five organizations in the order reads the same order, as beta', async () => {
    const answers = await Promise.all(VIEWS.map((view) => orders[view].read(placed)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.every(({ headers }) => headers.get('beta') === 'true')).toBe(true)
    expect(isOrder.Check(answers[0]?.body)).toBe(true)
  })

  test('its total is the unit price × the quantity + tooling + shipping', async () => {
    const { unitPrice, quantity, toolingCost, shippingCost, total } = (await orders.CONSUMER.read(placed)).body
    const money = (amount: string) => ({ amount, currency: 'EUR' as const })
    expect([unitPrice, quantity, toolingCost, shippingCost, total]).toEqual([
      money('95.50'),
      10,
      money('1200.00'),
      money('49.90'),
      money('2204.90'),
    ])
  })

  test('fields without a value are omitted', async () => {
    const { body } = await orders.CONSUMER.read(ofOtherFactory)
    for (const name of ['distributorOrgId', 'carrier', 'trackingNumber', 'reason'])
      expect(body).not.toHaveProperty(name)
  })

  test('another organization gets the 404 of an unknown order, and so does a distributor that the order does not name', async () => {
    const foreign = await orders.stranger.read(placed)
    expect(foreign.status).toBe(404)
    expect(foreign.body.detail).toBe((await orders.stranger.read('order_unknown')).body.detail as string)
    expect((await orders.DISTRIBUTOR.read(ofOtherFactory)).status).toBe(404)
  })

  test('needs no permission, and a token', async () => {
    const viewer = await seller.member('Viewer')
    expect((await ordersOf(viewer.client).read(placed)).status).toBe(200)
    expect((await ordersOf(market.anonymous).read(placed)).status).toBe(401)
  })

  test('an unchanged order is 304 for its entity tag', async () => {
    const tag = (await orders.CONSUMER.read(placed)).headers.get('etag') as string
    const headers = { 'if-none-match': tag }
    const { status } = await consumer.administrator.client.send('GET', `/v1/orders/${placed}`, { headers })
    expect(status).toBe(304)
  })
})

describe('GET /v1/orders', () => {
  test('each view lists the orders in which the organization has that role, newest first', async () => {
    for (const view of VIEWS) {
      const expected = view === 'DISTRIBUTOR' ? [ofOtherPart, shipped, placed] : all
      expect([view, await idsIn(view, `view=${view}`)]).toEqual([view, expected])
      expect([view, await idsIn(view, '')]).toEqual([view, expected])
    }
  })

  test('a view of another role lists nothing, and so does every view of another organization', async () => {
    for (const view of VIEWS) {
      const others = VIEWS.filter((other) => other !== view)
      for (const other of others) expect([view, other, await idsIn(view, `view=${other}`)]).toEqual([view, other, []])
      expect(await idsIn('stranger', `view=${view}`)).toEqual([])
    }
    expect(await idsIn('stranger', '')).toEqual([])
  })

  test('without a view an organization with every role lists each order once', async () => {
    const every = await market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR'])
    const { orgId } = every
    const whole = { consumerOrgId: orgId, ipOwnerOrgId: orgId, manufacturerOrgId: orgId, sellerOrgId: orgId }
    const asAll = await place({ ...whole, distributorOrgId: orgId })
    const asSeller = await place({ sellerOrgId: orgId })
    const asMaker = await place({ manufacturerOrgId: orgId, sellerOrgId: orgId })
    const mine = ordersOf(every.administrator.client)
    const pages = []
    for (const page of [1, 2, 3, 4]) pages.push((await mine.list(`?pageSize=1&page=${page}`)).body)
    expect(pages.map(({ items, hasMore }) => [items[0]?.id, hasMore])).toEqual([
      [asMaker, true],
      [asSeller, true],
      [asAll, false],
      [undefined, false],
    ])
  })

  test('state, partId and factoryId limit the list, also together', async () => {
    for (const view of ['', '&view=SELLER']) {
      expect(await idsIn('SELLER', `state=SHIPPED${view}`)).toEqual([shipped])
      expect(await idsIn('SELLER', `state=COMPLETED${view}`)).toEqual([])
      expect(await idsIn('SELLER', `partId=part_other${view}`)).toEqual([ofOtherPart])
      expect(await idsIn('SELLER', `factoryId=factory_other${view}`)).toEqual([ofOtherFactory])
      expect(await idsIn('SELLER', `partId=${parties.partId}&factoryId=${parties.factoryId}${view}`)).toEqual([
        shipped,
        placed,
      ])
      expect(await idsIn('SELLER', `state=PLACED&partId=part_other&factoryId=factory_other${view}`)).toEqual([])
      expect(await idsIn('SELLER', `partId=part_unknown${view}`)).toEqual([])
    }
  })

  test('rfqId limits the list of /flows/v1 to the orders of an award, for each party and no other organization', async () => {
    const rfqOf = async (id: string) => (await orders.SELLER.read(id)).body.rfqId
    const find = (by: keyof typeof PARTIES | 'stranger', query: string) =>
      ({ ...PARTIES, stranger })[by].administrator.client.get<{ items: { id: string }[]; hasMore: boolean }>(
        `/flows/v1/orders?pageSize=50&${query}`,
      )
    const idsOf = async (by: keyof typeof PARTIES | 'stranger', query: string) =>
      (await find(by, query)).body.items.map(({ id }) => id)
    const rfqId = await rfqOf(shipped)
    await market.db.owner`update sourcing.orders set rfq_id = ${rfqId} where id = ${placed}`
    for (const view of VIEWS) {
      expect([view, await idsOf(view, `rfqId=${rfqId}`)]).toEqual([view, [shipped, placed]])
      expect([view, await idsOf(view, `rfqId=${rfqId}&view=${view}&state=SHIPPED`)]).toEqual([view, [shipped]])
    }
    expect(await idsOf('SELLER', `rfqId=${rfqId}&view=CONSUMER`)).toEqual([])
    expect(await idsOf('DISTRIBUTOR', `rfqId=${await rfqOf(ofOtherFactory)}`)).toEqual([])
    expect(await idsOf('stranger', `rfqId=${rfqId}`)).toEqual([])
    expect(await idsOf('SELLER', 'rfqId=rfq_unknown')).toEqual([])
    expect(await idsOf('SELLER', '')).toEqual(all)
    expect((await orders.SELLER.list(`?rfqId=${rfqId}`)).status).toBe(400)
  })

  test('each item equals the JSON of GET /v1/orders/{id}, and the list is beta', async () => {
    const { body, headers } = await orders.SELLER.list('?pageSize=50')
    expect(headers.get('beta')).toBe('true')
    for (const item of body.items) expect<unknown>((await orders.SELLER.read(item.id)).body).toEqual(item)
  })

  test.each(['view=BUYER', 'state=OPEN', 'view=seller', 'page=0', 'pageSize=51'])('%p is 400', async (query) => {
    expect((await orders.SELLER.list(`?${query}`)).status).toBe(400)
  })

  test('consecutive pages repeat and skip nothing while orders are placed', async () => {
    const other = await market.organization(['SELLER'])
    const mine = ordersOf(other.administrator.client)
    const create = () => place({ sellerOrgId: other.orgId })
    for (let n = 0; n < 7; n++) await create()
    for (const filter of ['', '&view=SELLER', '&state=PLACED']) {
      const expected = (await mine.list(`?pageSize=50${filter}`)).body.items.map(({ id }) => id)
      const read: string[] = []
      for (let page = 1; ; page++) {
        const { body } = await mine.list(`?pageSize=3&page=${page}${filter}`)
        read.push(...body.items.map(({ id }) => id))
        if (!body.hasMore) break
        await create()
      }
      expect(read).toEqual(expected)
    }
  })
})
