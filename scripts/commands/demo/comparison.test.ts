import { expect, test } from 'bun:test'
import type { ComparedOffer } from '../../../proto/http/sourcing/comparison.ts'
import { comparisonTable, packageTable } from './comparison.ts'

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

test('a package is a table with a row for each line and a column for each manufacturer; the cheapest are marked', () => {
  const offered = (offerId: string, manufacturerOrgId: string, total: string) => ({
    offerId,
    manufacturerOrgId,
    state: 'SUBMITTED' as const,
    landedTotal: eur(total),
    validUntil: '2031-05-29T12:00:00.000Z',
    offerCount: 1,
  })
  const line = { partId: 'part_1', state: 'OPEN' as const }
  expect(
    packageTable({
      packageId: 'package_1',
      currency: 'EUR',
      isSealed: false,
      makers: [
        {
          manufacturerOrgId: 'org_1',
          manufacturerName: 'Fjord Print',
          askedLines: 2,
          offeredLines: 2,
          total: eur('1700.00'),
        },
        { manufacturerOrgId: 'org_2', manufacturerName: 'Mill', askedLines: 2, offeredLines: 1, total: eur('800.00') },
      ],
      lines: [
        {
          ...line,
          rfqId: 'rfq_1',
          partTitle: 'Sleeve',
          quantity: 20,
          offers: [offered('offer_1', 'org_1', '900.00'), offered('offer_2', 'org_2', '800.00')],
        },
        { ...line, rfqId: 'rfq_2', quantity: 5, offers: [offered('offer_3', 'org_1', '800.00')] },
      ],
      choices: [
        {
          kind: 'CHEAPEST',
          awards: [
            { rfqId: 'rfq_1', offerId: 'offer_2', quantity: 20 },
            { rfqId: 'rfq_2', offerId: 'offer_3', quantity: 5 },
          ],
          total: eur('1600.00'),
          leadTimeDays: 20,
          manufacturerOrgIds: ['org_1', 'org_2'],
          missingLines: 0,
        },
      ],
    }),
  ).toBe(
    [
      '2 lines, EUR   Fjord Print       Mill',
      '20 × Sleeve         900.00     800.00 *',
      '5 × rfq_2           800.00 *        –',
      'total              1700.00     800.00',
      '* the cheapest of each line, 1600.00 together',
    ].join('\n'),
  )
})
