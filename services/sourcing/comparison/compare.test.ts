import { describe, expect, test } from 'bun:test'
import { comparisonOf, defaultQuantity, type PricedOffer, withNotes } from './compare.ts'
import { comparisonFile } from './csv.ts'

const RFQ = { id: 'rfq_1', currency: 'EUR' as const, quantities: [50, 10] }

const offerOf = (id: string, more: Partial<PricedOffer> = {}): PricedOffer => ({
  id,
  manufacturerOrgId: `org_${id}`,
  manufacturerName: `Maker ${id}`,
  factoryId: `factory_${id}`,
  state: 'SUBMITTED',
  revision: 1,
  isOutdated: false,
  priceBreaks: [
    { minQuantity: 10, unitPrice: '0.1', leadTimeDays: 20 },
    { minQuantity: 50, unitPrice: '0.09', leadTimeDays: 30 },
  ],
  toolingCost: null,
  shippingCost: null,
  validUntil: '2030-01-01T00:00:00.000Z',
  ...more,
})

const euros = (amount: string) => ({ amount, currency: 'EUR' as const })

test('the default quantity is the largest of the RFQ', () => {
  expect(defaultQuantity(RFQ)).toBe(50)
  expect(defaultQuantity({ ...RFQ, quantities: [] })).toBe(1)
})

test('an offer has the price of the break with the highest quantity that is not above the asked one, computed exactly', () => {
  const offer = offerOf('a', { toolingCost: '0.2', shippingCost: '1000' })
  const [at30] = comparisonOf(RFQ, [offer], 30).offers
  expect(at30).toMatchObject({
    unitPrice: euros('0.10'),
    goodsTotal: euros('3.00'),
    leadTimeDays: 20,
    toolingCost: euros('0.20'),
    shippingCost: euros('1000.00'),
    landedTotal: euros('1003.20'),
  })
  expect(comparisonOf(RFQ, [offer], 50).offers[0]?.goodsTotal).toEqual(euros('4.50'))
})

test('the best of each field is marked, a tie in no offer, and the lowest landed total is first', () => {
  const cheap = offerOf('b', { validUntil: '2029-01-01T00:00:00.000Z', shippingCost: '1' })
  const fast = offerOf('a', {
    priceBreaks: [{ minQuantity: 1, unitPrice: '9', leadTimeDays: 5 }],
    shippingCost: '1',
  })
  const { offers } = comparisonOf(RFQ, [fast, cheap], 10)
  expect(offers.map(({ offerId, best }) => [offerId, best])).toEqual([
    ['b', ['unitPrice', 'goodsTotal', 'landedTotal']],
    ['a', ['leadTimeDays', 'validUntil']],
  ])
})

test('a cost that an offer does not state is absent, adds nothing and is never the best', () => {
  const free = offerOf('a', { toolingCost: '5', shippingCost: '0' })
  const dear = offerOf('b', { toolingCost: '5', shippingCost: '80' })
  const { offers } = comparisonOf(RFQ, [free, dear, offerOf('c')], 10)
  expect(offers.map(({ offerId, shippingCost, landedTotal }) => [offerId, shippingCost, landedTotal])).toEqual([
    ['c', undefined, euros('1.00')],
    ['a', euros('0.00'), euros('6.00')],
    ['b', euros('80.00'), euros('86.00')],
  ])
  expect(offers.map(({ best }) => best)).toEqual([[], ['shippingCost'], []])
  // One stated value has nothing to be compared with.
  expect(comparisonOf(RFQ, [dear, offerOf('c')], 10).offers.map(({ best }) => best)).toEqual([[], []])
})

test('a total without tooling is not the best where another offer states tooling', () => {
  const untold = offerOf('a', { shippingCost: '1' })
  const told = offerOf('b', { toolingCost: '5', shippingCost: '1' })
  expect(
    comparisonOf(RFQ, [untold, told], 10).offers.map(({ offerId, toolingCost, best }) => [offerId, toolingCost, best]),
  ).toEqual([
    ['a', undefined, []],
    ['b', euros('5.00'), []],
  ])
  const free = offerOf('a', { toolingCost: '0', shippingCost: '1' })
  expect(comparisonOf(RFQ, [free, told], 10).offers.map(({ best }) => best)).toEqual([
    ['toolingCost', 'landedTotal'],
    [],
  ])
})

test('of totals that all lack shipping the lowest is the best, and offers valid until the same day are equal', () => {
  const offers = [
    offerOf('a', { toolingCost: '5', validUntil: '2029-01-01T08:00:00.000Z' }),
    offerOf('b', { toolingCost: '6', validUntil: '2029-01-01T09:00:00.000Z' }),
  ]
  expect(comparisonOf(RFQ, offers, 10).offers.map(({ best }) => best)).toEqual([['toolingCost', 'landedTotal'], []])
})

test('equal offers, and an offer alone, are best in nothing', () => {
  const offers = ['a', 'b'].map((id) => offerOf(id, { toolingCost: '1', shippingCost: '2' }))
  expect(comparisonOf(RFQ, offers, 10).offers.map(({ best }) => best)).toEqual([[], []])
  expect(comparisonOf(RFQ, offers.slice(1), 10).offers.map(({ best }) => best)).toEqual([[]])
})

test('amounts are compared by value: 9 is lower than 10', () => {
  const at = (unitPrice: string) => [{ minQuantity: 1, unitPrice, leadTimeDays: 1 }]
  const { offers } = comparisonOf(
    RFQ,
    [offerOf('a', { priceBreaks: at('10') }), offerOf('b', { priceBreaks: at('9') })],
    1,
  )
  expect(offers.map(({ offerId }) => offerId)).toEqual(['b', 'a'])
  expect(offers[0]?.best).toContain('unitPrice')
})

test('an offer without a price for the quantity says so, is last and is best in nothing', () => {
  const { offers } = comparisonOf(
    RFQ,
    [offerOf('a', { priceBreaks: [{ minQuantity: 20, unitPrice: '1', leadTimeDays: 1 }] }), offerOf('b')],
    10,
  )
  expect(offers.map(({ offerId, unpriced }) => [offerId, unpriced])).toEqual([
    ['b', undefined],
    ['a', 'BELOW_MIN_QUANTITY'],
  ])
  expect(offers[1]).not.toHaveProperty('landedTotal')
  expect(offers[1]?.best).toEqual([])
})

test('a sealed offer has no amount at all', () => {
  const sealed = { priceBreaks: null, toolingCost: null, shippingCost: null }
  const { offers } = comparisonOf(RFQ, [offerOf('a', sealed), offerOf('b', sealed)], 10)
  expect(offers.map(({ unpriced, best }) => [unpriced, best])).toEqual([
    ['SEALED', []],
    ['SEALED', []],
  ])
  for (const field of ['unitPrice', 'toolingCost', 'shippingCost', 'landedTotal', 'leadTimeDays']) {
    expect(offers[0]).not.toHaveProperty(field)
  }
})

test('of 130 offers the 100 with the lowest landed totals are compared', () => {
  const offers = Array.from({ length: 130 }, (_, n) =>
    offerOf(`o${n}`, { priceBreaks: [{ minQuantity: 1, unitPrice: String(1 + ((n * 37) % 130)), leadTimeDays: 1 }] }),
  )
  const { offers: shown, hasMore } = comparisonOf(RFQ, offers, 1)
  expect([shown.length, hasMore]).toEqual([100, true])
  expect(shown.map(({ unitPrice }) => Number(unitPrice?.amount))).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
})

test('an offer among the first 100 is best in a row only if none of all offers is better', () => {
  const cheap = Array.from({ length: 100 }, (_, n) =>
    offerOf(`o${n}`, { priceBreaks: [{ minQuantity: 1, unitPrice: n === 7 ? '0.5' : '1', leadTimeDays: 30 }] }),
  )
  const fast = offerOf('fast', { priceBreaks: [{ minQuantity: 1, unitPrice: '2', leadTimeDays: 1 }] })
  const { offers } = comparisonOf(RFQ, [...cheap, fast], 1)
  expect(offers).toHaveLength(100)
  expect(offers.some(({ best }) => best.some((field) => field === 'leadTimeDays'))).toBe(false)
  expect(offers.filter(({ best }) => best.includes('unitPrice')).map(({ offerId }) => offerId)).toEqual(['o7'])
})

describe('the CSV', () => {
  const lines = (text: string) => text.split('\r\n')

  test('has a column for each offer and the best offers of each row, with CRLF', () => {
    const tooled = { priceBreaks: [{ minQuantity: 1, unitPrice: '0.2', leadTimeDays: 5 }], toolingCost: '3' }
    const offers = [offerOf('a'), offerOf('b', { priceBreaks: null }), offerOf('c', tooled)]
    const notes = new Map([['a', 'Not confirmed.']])
    expect(lines(comparisonFile(withNotes(comparisonOf(RFQ, offers, 10), notes)))).toEqual([
      '\ufeffOffer,a,c,b,Best',
      'Manufacturer,Maker a,Maker c,Maker b,',
      'Factory,factory_a,factory_c,factory_b,',
      'State,SUBMITTED,SUBMITTED,SUBMITTED,',
      'Revision,1,1,1,',
      'Quantity,10,10,10,',
      'Currency,EUR,EUR,EUR,',
      'Unit price,0.10,0.20,sealed,a',
      'Total of goods,1.00,2.00,sealed,a',
      'Lead time (days),20,5,sealed,c',
      'Tooling,not stated,3.00,sealed,',
      'Shipping,not stated,not stated,sealed,',
      'Landed total,1.00,5.00,sealed,',
      'Valid until,2030-01-01T00:00:00.000Z,2030-01-01T00:00:00.000Z,2030-01-01T00:00:00.000Z,',
      'Notes,Not confirmed.,,,',
      '',
    ])
  })

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['a,b', '"a,b"'],
    ['a "b"', '"a ""b"""'],
    ['=1,"2"', `"'=1,""2"""`],
  ])('a manufacturer named %p is the cell %p', (manufacturerName, cell) => {
    const text = comparisonFile(comparisonOf(RFQ, [offerOf('a', { manufacturerName })], 10))
    expect(lines(text)[1]).toBe(`Manufacturer,${cell},`)
  })
})

test('an outdated offer says so, in the file too, and is best in nothing', () => {
  const cheaper = { isOutdated: true, priceBreaks: [{ minQuantity: 10, unitPrice: '0.01', leadTimeDays: 1 }] }
  const comparison = comparisonOf(RFQ, [offerOf('a', cheaper), offerOf('b'), offerOf('c', { shippingCost: '9' })], 10)
  expect(comparison.offers.map(({ offerId, isOutdated }) => [offerId, isOutdated])).toEqual([
    ['a', true],
    ['b', undefined],
    ['c', undefined],
  ])
  expect(comparison.offers[0]?.best).toEqual([])
  expect(comparisonFile(comparison)).toContain('State,"SUBMITTED, outdated",SUBMITTED,SUBMITTED')
})
