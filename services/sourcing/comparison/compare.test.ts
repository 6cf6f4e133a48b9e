import { describe, expect, test } from 'bun:test'
import { comparisonOf, defaultQuantity, type PricedOffer } from './compare.ts'
import { csvOf } from './csv.ts'

const RFQ = { id: 'rfq_1', currency: 'EUR' as const, quantities: [50, 10] }

const offerOf = (id: string, more: Partial<PricedOffer> = {}): PricedOffer => ({
  id,
  manufacturerOrgId: `org_${id}`,
  manufacturerName: `Maker ${id}`,
  factoryId: `factory_${id}`,
  state: 'SUBMITTED',
  revision: 1,
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

test('the best of each field is marked, ties in each offer, and the lowest landed total is first', () => {
  const cheap = offerOf('b', { validUntil: '2029-01-01T00:00:00.000Z' })
  const fast = offerOf('a', {
    priceBreaks: [{ minQuantity: 1, unitPrice: '9', leadTimeDays: 5 }],
    shippingCost: '1',
  })
  const { offers } = comparisonOf(RFQ, [fast, cheap], 10)
  expect(offers.map(({ offerId, best }) => [offerId, best])).toEqual([
    ['b', ['unitPrice', 'goodsTotal', 'toolingCost', 'shippingCost', 'landedTotal']],
    ['a', ['leadTimeDays', 'toolingCost', 'validUntil']],
  ])
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
    offerOf(`o${n}`, { priceBreaks: [{ minQuantity: 1, unitPrice: '1', leadTimeDays: 30 }] }),
  )
  const fast = offerOf('fast', { priceBreaks: [{ minQuantity: 1, unitPrice: '2', leadTimeDays: 1 }] })
  const { offers } = comparisonOf(RFQ, [...cheap, fast], 1)
  expect(offers).toHaveLength(100)
  expect(offers.some(({ best }) => best.some((field) => field === 'leadTimeDays'))).toBe(false)
  expect(offers.every(({ best }) => best.some((field) => field === 'unitPrice'))).toBe(true)
})

describe('the CSV', () => {
  const lines = (text: string) => text.split('\r\n')

  test('has a column for each offer and the best offers of each row, with CRLF', () => {
    const comparison = comparisonOf(RFQ, [offerOf('a'), offerOf('b', { priceBreaks: null })], 10)
    expect(lines(csvOf(comparison))).toEqual([
      'Offer,a,b,Best',
      'Manufacturer,Maker a,Maker b,',
      'Factory,factory_a,factory_b,',
      'State,SUBMITTED,SUBMITTED,',
      'Revision,1,1,',
      'Quantity,10,10,',
      'Currency,EUR,EUR,',
      'Unit price,0.10,sealed,a',
      'Total of goods,1.00,sealed,a',
      'Lead time (days),20,sealed,a',
      'Tooling,0.00,sealed,a',
      'Shipping,0.00,sealed,a',
      'Landed total,1.00,sealed,a',
      'Valid until,2030-01-01T00:00:00.000Z,2030-01-01T00:00:00.000Z,a',
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
    const text = csvOf(comparisonOf(RFQ, [offerOf('a', { manufacturerName })], 10))
    expect(lines(text)[1]).toBe(`Manufacturer,${cell},`)
  })
})
