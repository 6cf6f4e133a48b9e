import { expect, test } from 'bun:test'
import type { ComparedOffer } from '../../../proto/http/sourcing/comparison.ts'
import { comparisonTable } from './comparison.ts'

const eur = (amount: string) => ({ amount, currency: 'EUR' as const })
const offer: ComparedOffer = {
  offerId: 'offer_1',
  manufacturerOrgId: 'org_1',
  manufacturerName: 'Fjord Print',
  factoryId: 'factory_1',
  state: 'SUBMITTED',
  revision: 1,
  unitPrice: eur('112.00'),
  goodsTotal: eur('5600.00'),
  toolingCost: eur('250.00'),
  landedTotal: eur('5850.00'),
  leadTimeDays: 28,
  validUntil: '2031-05-29T12:00:00.000Z',
  best: ['unitPrice', 'landedTotal'],
}

test('a comparison is a table with a column for each offer; a missing value is a dash, the best ones are marked', () => {
  const below: ComparedOffer = {
    offerId: 'offer_2',
    manufacturerOrgId: 'org_2',
    manufacturerName: 'Mill',
    factoryId: 'factory_2',
    state: 'SUBMITTED',
    revision: 2,
    unpriced: 'BELOW_MIN_QUANTITY',
    validUntil: '2031-05-29T12:00:00.000Z',
    best: [],
  }
  expect(
    comparisonTable({ rfqId: 'rfq_1', quantity: 50, currency: 'EUR', offers: [offer, below], hasMore: false }),
  ).toBe(
    [
      '50 pieces, EUR      Fjord Print   Mill',
      'revision                    1      2',
      'unit price             112.00 *    –',
      'goods                 5600.00      –',
      'tooling                250.00      –',
      'shipping                    –      –',
      'landed total          5850.00 *    –',
      'lead time in days          28      –',
      '* the best of all offers',
    ].join('\n'),
  )
})
