import { describe, expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { printedOrder } from '../../testing/printed-documents.ts'

const market = await marketplaceOf(['sourcing'])
const printed = await printedOrder(market)
const { owner, id } = printed
const { print, linesFor, kinds, moveTo } = printed
const { consumer, ipOwner, maker, rival, seller, distributor, stranger } = printed

describe('the reader of a document', () => {
  test('reads purchase order and confirmation as any organization of the order, the packing list not as IP owner or distributor', async () => {
    await moveTo('CONFIRMED')
    const allowed = async (query: string) => {
      const statuses: Record<string, number> = {}
      for (const [name, by] of Object.entries({ consumer, ipOwner, maker, seller, distributor, rival, stranger }))
        statuses[name] = (await print({ by, query })).status
      return statuses
    }
    const all = { consumer: 200, ipOwner: 200, maker: 200, seller: 200, distributor: 200, rival: 404, stranger: 404 }
    expect(await allowed(kinds.order)).toEqual(all)
    expect(await allowed(kinds.confirmation)).toEqual(all)
    expect(await allowed(kinds.packing)).toEqual({ ...all, ipOwner: 404, distributor: 404 })
  })

  test('of another organization gets the 404 of an unknown order, in a state without the document too', async () => {
    const bare = (text: string) => text.replace(/"(requestId|instance)":"[^"]*"/g, '')
    await moveTo('PLACED')
    for (const query of Object.values(kinds)) {
      const [foreign, unknown] = [
        await print({ by: stranger, query }),
        await print({ by: stranger, query, orderId: 'order_unknown' }),
      ]
      expect([foreign.status, bare(foreign.text)]).toEqual([404, bare(unknown.text)])
    }
  })

  test('sees the quote reference only with the offer, incoterm and required documents only with the RFQ', async () => {
    const seen: Record<string, string[]> = {}
    for (const [name, by] of Object.entries({ consumer, ipOwner, maker, seller, distributor })) {
      const lines = await linesFor({ by })
      seen[name] = ['Quote reference', 'Incoterm', 'Required documents'].filter((label) =>
        lines.some((line) => line.startsWith(label)),
      )
    }
    const all = ['Quote reference', 'Incoterm', 'Required documents']
    expect(seen).toEqual({ consumer: all, ipOwner: all, maker: all, seller: [], distributor: [] })
  })

  test('sees the fee of the seller only as consumer, manufacturer or seller', async () => {
    const seen: Record<string, string[]> = {}
    for (const [name, by] of Object.entries({ consumer, ipOwner, maker, seller, distributor }))
      seen[name] = (await linesFor({ by })).filter((line) => line.includes('fee'))
    const fee = ["Seller's fee\t€2,946.18", 'Total with the fee\t€122,043.2034']
    expect(seen).toEqual({ consumer: fee, maker: fee, seller: fee, ipOwner: [], distributor: [] })
  })

  test('sees billing details only with assignment:read', async () => {
    const viewer = await consumer.member('Viewer')
    const lines = await linesFor({ by: { administrator: viewer } })
    expect(lines).toContain('Skagen Pumps\tNordic Sales')
    for (const text of ['Skagen Pumps A/S', 'DK12345678', 'Cost centre 12']) expect(lines.join()).not.toContain(text)
    const buyer = await consumer.member('Buyer')
    expect(await linesFor({ by: { administrator: buyer } })).toContain('Skagen Pumps A/S\tNordic Sales AS')
  })

  test('needs a token', async () => {
    expect((await ordersOf(market.anonymous).read(id)).status).toBe(401)
    expect((await market.anonymous.get(`/flows/v1/orders/${id}/document?${kinds.order}`)).status).toBe(401)
  })
})

test.each([
  ['', 'kind'],
  ['kind=', 'kind'],
  ['kind=INVOICE', 'kind'],
  ['kind=PURCHASE_ORDER&language=fr', 'language'],
  ['kind=PURCHASE_ORDER&language=', 'language'],
  ['kind=PURCHASE_ORDER&lang=de', 'lang'],
])('the query %p is 400', async (query, field) => {
  const { status, text } = await print({ query })
  expect([status, JSON.parse(text).errors[0].field]).toEqual([400, field])
})

test('an order without optional values, whose revision is not kept, is printed with what there is', async () => {
  const bare = await orderParties(market)
  const orderId = await bare.place({ distributorOrgId: null, sellerOrgId: bare.maker.orgId })
  await owner`delete from sourcing.part_revisions where part_id = ${bare.partId}`
  await owner`
    update sourcing.orders set tooling_cost = null, shipping_cost = null, total = 955, serial_number = 'O-00000001'
    where id = ${orderId}`
  const lines = await linesFor({ by: bare.consumer, orderId })
  expect(lines).toContain('10\t€95.50\t€955.00')
  expect(lines).toContain('Total\t€955.00')
  for (const label of ['Tooling', 'Shipping', 'Manufacturer', 'Distributor', 'Deliver to', 'Payment terms', 'Quote'])
    expect(lines.filter((line) => line.startsWith(label))).toEqual([])
})

test('the largest amounts are exact and in one line', async () => {
  const large = await orderParties(market)
  const orderId = await large.place()
  await owner`
    update sourcing.orders set quantity = 1000000000, unit_price = 999999999999.9999, tooling_cost = 0.0001,
      shipping_cost = null, total = 999999999999999900000.0001
    where id = ${orderId}`
  const lines = await linesFor({ by: large.consumer, orderId, query: `${kinds.order}&language=de` })
  // A smaller size fits the column, so the text is a little higher than its row.
  expect(lines).toContain('Impeller\t1.000.000.000')
  expect(lines).toContain('999.999.999.999,9999 €')
  expect(lines).toContain('999.999.999.999.999.900.000,00 €')
  expect(lines).toContain('Werkzeugkosten\t0,0001 €')
  expect(lines).toContain('999.999.999.999.999.900.000,0001 €')
})

test('hostile texts are printed without their direction, and without what the font lacks', async () => {
  const hostile = await orderParties(market)
  const orderId = await hostile.place({ state: 'CONFIRMED' })
  const [lastWord, lines] = ['W'.repeat(200), Array.from({ length: 5 }, (_, line) => `${line}`.repeat(200))]
  const address = { name: '\u202egnp.exe', lines, locality: '部品', regionCode: 'ZZ' }
  await owner`
    update sourcing.orders set payment_terms = ${lastWord}, purchase_order_number = ${'a\u0007b\u2066c\nd'},
      delivery = ${JSON.stringify(address)}::text::json
    where id = ${orderId}`
  await owner`
    update organization.organizations set name = ${`${'Ω'.repeat(150)} שלום`} where id = ${hostile.consumer.orgId}`
  const printed = await linesFor({ by: hostile.consumer, orderId, query: kinds.confirmation })
  expect(printed).toContain('Purchase order number\ta bc d')
  expect(printed).toContain('gnp.exe')
  expect(printed).toContain('��, Unknown Region')
  expect(printed.at(-2)).toBe(
    '� stands for a character that this document cannot show. The order in the marketplace shows it.',
  )
  const text = printed.join('')
  for (const character of ['W', '0', '1', '2', '3', '4'])
    expect([character, text.split(character).length > 200]).toEqual([character, true])
})
