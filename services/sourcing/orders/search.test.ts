import { expect, test } from 'bun:test'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { insertOrder } from '../../testing/orders.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, stranger, open, offer } = await awardParties(market)
const owner = ipOwner.administrator.client

test('GET /flows/v1/orders finds orders by their numbers, and by title or serial number of the part', async () => {
  const title = 'Impeller, cooling water pump 7'
  const partId = await publishedPart(owner, { title })
  const asked = rfqBody(partId, { manufacturerIds: [maker.orgId] })
  const buyer = consumer.administrator.client
  const rfqId = (await rfqsOf(buyer).create(asked)).body.id
  await rfqsOf(buyer).act(rfqId, 'publish')
  const award = async (id: string, purchaseOrderNumber: string) =>
    (
      await awardsOf(buyer).award(id, {
        awards: [{ offerId: await offer(id, maker), quantity: 10, purchaseOrderNumber }],
        sellerOrgId: seller.orgId,
      })
    ).body.orders[0]
  const [other, order] = [await award(await open(), 'PO-77_1'), await award(rfqId, 'PO-4500_118')]
  if (!other || !order) throw new Error('an award placed no order')
  const ids = async (client: ApiClient, query: string) =>
    (await client.get<{ items: { id: string }[] }>(`/flows/v1/orders?${query}`)).body.items.map(({ id }) => id)
  const texts = [
    order.serialNumber,
    order.serialNumber.toLowerCase(),
    'PO-4500_118',
    'po-4500_1',
    '4500',
    'cooling%20WATER%20pump%207',
    (await owner.get<Part>(`/v1/parts/${partId}`)).body.serialNumber,
  ]
  for (const text of texts) {
    for (const { administrator } of [consumer, ipOwner, maker, seller]) {
      expect([text, await ids(administrator.client, `q=${text}`)]).toEqual([text, [order.id]])
    }
    expect(await ids(buyer, `q=${text}&view=CONSUMER&state=PLACED&rfqId=${rfqId}`)).toEqual([order.id])
    for (const none of ['view=SELLER', 'state=SHIPPED', `rfqId=${other.rfqId}`]) {
      expect([none, await ids(buyer, `q=${text}&${none}`)]).toEqual([none, []])
    }
    expect(await ids(stranger.administrator.client, `q=${text}`)).toEqual([])
  }
  expect(await ids(buyer, 'q=%25')).toEqual([])
  expect(await ids(buyer, 'q=4500-118')).toEqual([])
  expect(await ids(buyer, 'q=')).toEqual([order.id, other.id])
  expect(await ids(buyer, 'q=e')).toEqual([order.id, other.id])
  // The pages continue one another.
  expect(await ids(buyer, 'q=e&pageSize=1')).toEqual([order.id])
  expect(await ids(buyer, 'q=e&pageSize=1&page=2')).toEqual([other.id])
})

test('a later title of the part finds its orders for the IP owner alone; the others search by the pinned title', async () => {
  const partId = await publishedPart(owner, { title: 'Rotor' })
  const rfqId = (
    await rfqsOf(consumer.administrator.client).create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))
  ).body.id
  await rfqsOf(consumer.administrator.client).act(rfqId, 'publish')
  const { body } = await awardsOf(consumer.administrator.client).award(rfqId, {
    awards: [{ offerId: await offer(rfqId, maker), quantity: 10 }],
    sellerOrgId: seller.orgId,
  })
  const [id = ''] = body.orders.map((order) => order.id)
  await owner.send('PATCH', `/flows/v1/parts/${partId}`, { body: { title: 'Iridiumkern' } })
  const find = async ({ administrator }: typeof maker, q: string) =>
    (await administrator.client.get<{ items: { id: string }[] }>(`/flows/v1/orders?q=${q}`)).body.items.map(
      (order) => order.id,
    )
  for (const party of [consumer, maker, seller]) {
    expect(await find(party, 'iridium')).toEqual([])
    expect(await find(party, 'rotor')).toContain(id)
  }
  expect(await find(ipOwner, 'iridium')).toEqual([id])
})

test('a search finds matches beyond the first scan, page by page', async () => {
  const fresh = await market.organization(['CONSUMER'])
  const row = { consumerOrgId: fresh.orgId, ipOwnerOrgId: 'org_a', manufacturerOrgId: 'org_b', sellerOrgId: 'org_b' }
  const rare = await publishedPart(owner, { title: 'A rare bushing' })
  const oldest = await insertOrder(market.db.owner, { ...row, partId: rare, factoryId: 'factory_a' })
  await market.db.owner`
    insert into sourcing.orders (id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id, ip_owner_org_id,
      manufacturer_org_id, seller_org_id, state, quantity, unit_price, total, currency, due_date, created_at, updated_at,
      part_revision)
    select 'order_Z' || lpad(n::text, 25, '0'), 'O-' || lpad(n::text, 8, '0'), rfq_id, 'offer_' || n,
      case when n = 1500 then part_id else 'part_' || n end, factory_id, consumer_org_id, ip_owner_org_id,
      manufacturer_org_id, seller_org_id, 'PLACED', 1, 1, 1, 'EUR', due_date, created_at, updated_at,
      part_revision
    from sourcing.orders, generate_series(1, 2500) n where id = ${oldest}`
  const newer = `order_Z${'1500'.padStart(25, '0')}`
  const find = async (query: string) => {
    const { body } = await fresh.administrator.client.get<{ items: { id: string }[]; hasMore: boolean }>(
      `/flows/v1/orders?q=rare%20bushing${query}`,
    )
    return [body.items.map(({ id }) => id), body.hasMore]
  }
  expect(await find('')).toEqual([[newer, oldest], false])
  expect(await find('&pageSize=1')).toEqual([[newer], true])
  expect(await find('&pageSize=1&page=2')).toEqual([[oldest], false])
  expect(await find('&pageSize=1&page=3')).toEqual([[], false])
  // Without an earlier page of its session the page is counted.
  expect(await find('&pageSize=1&page=2&view=CONSUMER')).toEqual([[oldest], false])
})
