import { describe, expect, test } from 'bun:test'
import { ORDER_STATES } from '../../../proto/states/orders.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { insertShipment, orderParties } from '../../testing/orders.ts'
import { printedOrder } from '../../testing/printed-documents.ts'

const market = await marketplaceOf(['sourcing'])
const printed = await printedOrder(market)
const { owner, id, maker, seller } = printed
const { print, linesFor, kinds, moveTo, withoutFooter } = printed

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

  test('a packing list of an order without an address names the country of the RFQ, for those that read the RFQ', async () => {
    const [{ kept } = { kept: '' }] = await owner<{ kept: string }[]>`
      select delivery::text as kept from sourcing.orders where id = ${id}`
    await owner`update sourcing.orders set delivery = null where id = ${id}`
    const placeOf = (lines: string[]) => lines.slice(lines.indexOf('Deliver to')).slice(0, 2)
    expect(placeOf(await linesFor({ query: kinds.packing }))).toEqual(['Deliver to', 'Denmark'])
    expect(placeOf(await linesFor({ by: maker, query: `${kinds.packing}&language=en` }))).toEqual([
      'Deliver to',
      'Denmark',
    ])
    expect(await linesFor({ by: seller, query: kinds.packing })).not.toContain('Deliver to')
    await owner`update sourcing.orders set delivery = ${kept}::text::json where id = ${id}`
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
    // 1,345.4002 + 2,946.18: the fee is paid above what was settled.
    expect(lines).toContain('Total with the fee\t€4,291.5802')
    await owner`update sourcing.orders set settled_total = null, cancellation_fee = null where id = ${id}`
  })
})
