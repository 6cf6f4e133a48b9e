import { describe, expect, test } from 'bun:test'
import { ORDER_STATES, type OrderState } from '../../../proto/states/orders.ts'
import { assignmentOf, assignmentsOf } from '../../testing/assignments.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { insertShipment, orderParties, ordersOf } from '../../testing/orders.ts'
import { pagesOf } from '../../testing/pdf.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const parties = await awardParties(market)
const { consumer, ipOwner, maker, rival, seller, distributor, stranger } = parties
const changePart = async (body: object) => {
  const answer = await ipOwner.administrator.client.send('PATCH', `/flows/v1/parts/${parties.partId}`, { body })
  expect(answer.status).toBe(200)
}
await changePart({ title: 'Impeller, first stage', materialId: '316l', processId: 'pbf-metal' })
for (const [org, name] of [
  [consumer, 'Skagen Pumps'],
  [ipOwner, 'Aarhus Design'],
  [maker, 'Vestland Additive'],
  [seller, 'Nordic Sales'],
  [distributor, 'Baltic Trade'],
] as const) {
  await owner`update organization.organizations set name = ${name} where id = ${org.orgId}`
}

const delivery = {
  name: 'Esbjerg Ship Repair, goods receipt',
  lines: ['Dokvej 12', 'Gate 3'],
  postalCode: '6700',
  locality: 'Esbjerg',
  regionCode: 'DK',
}
const rfqId = await parties.open({
  deliveryRegionCode: 'DK',
  delivery,
  incoterm: 'DAP',
  paymentTerms: '30 days net',
  requiredDocuments: ['MATERIAL_CERTIFICATE', 'INSPECTION_REPORT'],
  quantities: [1234],
})
const offerId = await parties.offer(rfqId, maker, {
  reference: 'Q-2231',
  priceBreaks: [{ minQuantity: 1, unitPrice: { amount: '95.5001', currency: 'EUR' }, leadTimeDays: 28 }],
})
const awards = [{ offerId, quantity: 1234, purchaseOrderNumber: '4500118' }]
const awarded = await awardsOf(consumer.administrator.client).award(rfqId, { awards, sellerOrgId: seller.orgId })
expect([awarded.status, awarded.text]).toEqual([200, expect.any(String)])
const [order] = await parties.ordersOfRfq(rfqId)
if (!order) throw new Error('the award placed no order')
const { id } = order
await owner`
  update sourcing.orders set serial_number = 'O-7K2M9QXA', created_at = '2031-05-01T22:30:00Z', due_date = '2031-05-29'
  where id = ${id}`
await owner`update sourcing.part_revisions set serial_number = 'P-7K2M9QXA' where part_id = ${parties.partId}`
// The order keeps the part as it was quoted.
await changePart({ title: 'Rotor' })

const assignmentId = await assignmentOf(owner, id)
const billingOf = (by: typeof consumer, companyName: string) =>
  assignmentsOf(by.administrator.client)
    .billingDetails(assignmentId)
    .create({
      companyName,
      address: { ...delivery, name: undefined },
      taxId: 'DK12345678',
      reference: 'Cost centre 12',
    })
await billingOf(consumer, 'Skagen Pumps Holding A/S')
await billingOf(consumer, 'Skagen Pumps A/S')
await billingOf(seller, 'Nordic Sales AS')

interface Wanted {
  by?: Pick<TestOrganization, 'administrator'>
  query?: string
  orderId?: string
  headers?: Record<string, string>
}

const print = async ({ by = consumer, query = 'kind=PURCHASE_ORDER', orderId = id, headers = {} }: Wanted = {}) => {
  const { url, accessToken } = by.administrator.client
  const answer = await fetch(`${url}/flows/v1/orders/${orderId}/document?${query}`, {
    headers: { authorization: `Bearer ${accessToken}`, ...headers },
  })
  const bytes = await answer.bytes()
  const isPdf = answer.headers.get('content-type') === 'application/pdf'
  return {
    status: answer.status,
    headers: answer.headers,
    text: isPdf ? '' : new TextDecoder().decode(bytes),
    lines: isPdf ? (await pagesOf(bytes)).flat() : [],
  }
}
const linesFor = async (wanted: Wanted) => {
  const { status, text, lines } = await print(wanted)
  expect([status, text]).toEqual([200, ''])
  return lines
}
const kinds = { order: 'kind=PURCHASE_ORDER', confirmation: 'kind=ORDER_CONFIRMATION', packing: 'kind=PACKING_LIST' }

const moveTo = (state: OrderState, heldState: OrderState | null = null) =>
  owner`update sourcing.orders set state = ${state}, held_state = ${heldState} where id = ${id}`
/** Documents show the day on which they are printed, which is not that of the test. */
const withoutFooter = (lines: string[]) => lines.filter((line) => !line.startsWith('Order O-7K2M9QXA, as of '))

describe('a purchase order', () => {
  test('has the numbers, parties, part, prices and terms of the order', async () => {
    expect(withoutFooter(await linesFor({}))).toEqual([
      'Purchase order',
      'Order\tO-7K2M9QXA',
      'Purchase order number\t4500118',
      'Quote reference\tQ-2231',
      'Order date\t1 May 2031',
      'Due date\t29 May 2031',
      'Buyer\tSeller',
      'Skagen Pumps\tNordic Sales',
      'Skagen Pumps A/S\tNordic Sales AS',
      'Dokvej 12\tDokvej 12',
      'Gate 3\tGate 3',
      '6700 Esbjerg, Denmark\t6700 Esbjerg, Denmark',
      'Tax number: DK12345678\tTax number: DK12345678',
      'Reference: Cost centre 12\tReference: Cost centre 12',
      'Manufacturer\tIP owner',
      'Vestland Additive\tAarhus Design',
      'Distributor',
      'Baltic Trade',
      'Deliver to',
      'Esbjerg Ship Repair, goods receipt',
      'Dokvej 12',
      'Gate 3',
      '6700 Esbjerg, Denmark',
      'Part\tQuantity\tUnit price\tAmount',
      'Impeller, first stage\t1,234\t€95.5001\t€117,847.1234',
      'P-7K2M9QXA, Revision 2',
      'Material: Stainless steel 316L (1.4404)',
      'Process: Powder bed fusion of metal',
      'Tooling\t€1,200.00',
      'Shipping\t€49.90',
      'Total\t€119,097.0234',
      "Seller's fee\t€2,946.18",
      'Total with the fee\t€122,043.2034',
      'Payment terms\t30 days net',
      'Incoterm\tDAP',
      'Required documents\tmaterial certificate, inspection report',
    ])
  })

  test('is in German where the request says so, with German numbers and dates', async () => {
    const lines = await linesFor({ query: `${kinds.order}&language=de` })
    for (const line of [
      'Bestellung',
      'Auftragsdatum\t1. Mai 2031',
      'Liefertermin\t29. Mai 2031',
      '6700 Esbjerg, Dänemark',
      'Impeller, first stage\t1.234\t95,5001 €\t117.847,1234 €',
      'P-7K2M9QXA, Revision 2',
      'Werkzeugkosten\t1.200,00 €',
      'Gesamtbetrag\t119.097,0234 €',
      'Zahlungsbedingungen\t30 days net',
      'Verlangte Dokumente\tWerkstoffzeugnis, Prüfbericht',
    ]) {
      expect(lines).toContain(line)
    }
  })

  test.each([
    ['de-CH,de;q=0.9,en;q=0.5', 'de', 'Bestellung'],
    ['en-GB,de;q=0.9', 'en', 'Purchase order'],
    ['fr', 'en', 'Purchase order'],
    ['', 'en', 'Purchase order'],
  ])('is by default in the language of Accept-Language %p: %p', async (accepted, language, title) => {
    const { headers, lines } = await print({ headers: { 'accept-language': accepted } })
    expect([headers.get('content-language'), lines[0]]).toEqual([language, title])
    expect(headers.get('vary')).toBe('Authorization, Accept-Language')
  })

  test('is a PDF to be saved under the number of the order, for every state', async () => {
    const states = ORDER_STATES.map((state) => [state, state === 'ON_HOLD' ? 'INSPECTION' : null] as const)
    for (const [state, held] of states) {
      await moveTo(state, held)
      const { status, headers } = await print()
      expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        200,
        'application/pdf',
        'attachment; filename="O-7K2M9QXA-purchase-order.pdf"',
      ])
    }
    await moveTo('PLACED')
  })

  test.each([
    ['DECLINED', 'State\tdeclined'],
    ['CANCELLED', 'State\tcancelled'],
  ] as const)('of a %s order says so', async (state, line) => {
    expect((await linesFor({})).some((text) => text.startsWith('State'))).toBe(false)
    await moveTo(state)
    expect(await linesFor({})).toContain(line)
    await moveTo('PLACED')
  })
})

describe('order confirmation and packing list', () => {
  test.each(['PLACED', 'DECLINED', 'CANCELLED'] as const)('of a %s order are 409', async (state) => {
    await moveTo(state)
    for (const kind of ['ORDER_CONFIRMATION', 'PACKING_LIST']) {
      const { status, text } = await print({ query: `kind=${kind}` })
      const { code, detail } = JSON.parse(text)
      expect([status, code]).toEqual([409, 'illegal_transition'])
      expect(detail).toBe(`The order is ${state}; ${kind} needs a confirmed order.`)
    }
    await moveTo('PLACED')
  })

  test.each(['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'DELIVERED', 'COMPLETED', 'ON_HOLD'] as const)(
    'of a %s order are printed',
    async (state) => {
      await moveTo(state, state === 'ON_HOLD' ? 'CONFIRMED' : null)
      const confirmation = await print({ query: kinds.confirmation })
      expect([confirmation.lines[0], confirmation.headers.get('content-disposition')]).toEqual([
        'Order confirmation',
        'attachment; filename="O-7K2M9QXA-order-confirmation.pdf"',
      ])
      expect(confirmation.lines).toContain('Total\t€119,097.0234')
      const packing = await print({ query: kinds.packing })
      expect([packing.lines[0], packing.headers.get('content-disposition')]).toEqual([
        'Packing list',
        'attachment; filename="O-7K2M9QXA-packing-list.pdf"',
      ])
    },
  )

  test('a packing list has quantities, and neither prices nor billing details', async () => {
    await owner`
      update sourcing.orders set state = 'SHIPPED', held_state = null, carrier = 'Nordic Freight',
        tracking_number = 'NF-2207-0042', shipped_quantity = 1234
      where id = ${id}`
    expect(withoutFooter(await linesFor({ query: kinds.packing }))).toEqual([
      'Packing list',
      'Order\tO-7K2M9QXA',
      'Purchase order number\t4500118',
      'Quote reference\tQ-2231',
      'Order date\t1 May 2031',
      'Due date\t29 May 2031',
      'Buyer\tSeller',
      'Skagen Pumps\tNordic Sales',
      'Manufacturer',
      'Vestland Additive',
      'Deliver to',
      'Esbjerg Ship Repair, goods receipt',
      'Dokvej 12',
      'Gate 3',
      '6700 Esbjerg, Denmark',
      'Part\tOrdered\tShipped',
      'Impeller, first stage\t1,234\t1,234',
      'P-7K2M9QXA, Revision 2',
      'Material: Stainless steel 316L (1.4404)',
      'Process: Powder bed fusion of metal',
      'Incoterm\tDAP',
      'Required documents\tmaterial certificate, inspection report',
      'Carrier\tNordic Freight',
      'Tracking number\tNF-2207-0042',
    ])
    await owner`update sourcing.orders set state = 'IN_PRODUCTION', shipped_quantity = 0 where id = ${id}`
    expect(await linesFor({ query: kinds.packing })).toContain('Impeller, first stage\t1,234\t0')
  })

  test('a packing list of a shipment has its quantity, day, carrier and tracking number', async () => {
    await owner`update sourcing.orders set state = 'IN_PRODUCTION', carrier = null, tracking_number = null where id = ${id}`
    const shipmentId = await insertShipment(owner, id, 'SHIPPED')
    await insertShipment(owner, id, 'SHIPPED')
    await owner`
      update sourcing.shipments set carrier = 'Baltic Cargo', tracking_number = 'BC-7', shipped_at = '2031-05-20T12:00:00Z'
      where id = ${shipmentId}`
    const lines = withoutFooter(await linesFor({ query: `${kinds.packing}&shipmentId=${shipmentId}` }))
    expect(lines.slice(lines.indexOf('Part\tOrdered\tShipped\tThis shipment'))).toEqual([
      'Part\tOrdered\tShipped\tThis shipment',
      'Impeller, first stage\t1,234\t20\t10',
      'P-7K2M9QXA, Revision 2',
      'Material: Stainless steel 316L (1.4404)',
      'Process: Powder bed fusion of metal',
      'Incoterm\tDAP',
      'Required documents\tmaterial certificate, inspection report',
      'Shipped on\t20 May 2031',
      'Carrier\tBaltic Cargo',
      'Tracking number\tBC-7',
    ])
    const whole = await linesFor({ query: kinds.packing })
    expect(whole).toContain('Impeller, first stage\t1,234\t20')
    expect(whole.join()).not.toContain('Baltic Cargo')
  })

  test('a packing list of a shipment of another order is 404, like that of an unknown one', async () => {
    const other = await orderParties(market)
    const shipmentId = await insertShipment(owner, await other.place({ state: 'IN_PRODUCTION' }), 'SHIPPED')
    const answers = await Promise.all(
      [shipmentId, 'shipment_unknown', ''].map((one) => print({ query: `${kinds.packing}&shipmentId=${one}` })),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  test('with a shipment a purchase order is 400', async () => {
    const { status, text } = await print({ query: `${kinds.order}&shipmentId=shipment_1` })
    expect([status, JSON.parse(text).errors[0].field]).toEqual([400, 'shipmentId'])
  })

  test('show what a settlement or an agreed cancellation costs', async () => {
    await owner`update sourcing.orders set settled_total = 1345.4002, cancellation_fee = 250 where id = ${id}`
    const lines = await linesFor({ query: kinds.confirmation })
    expect(lines).toContain('Settled total\t€1,345.4002')
    expect(lines).toContain('Cancellation fee\t€250.00')
    await owner`update sourcing.orders set settled_total = null, cancellation_fee = null where id = ${id}`
  })
})

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
