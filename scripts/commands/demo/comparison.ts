import type { ComparedOffer, OfferComparison } from '../../../proto/http/sourcing/comparison.ts'
import type { PackageComparison } from '../../../proto/http/sourcing/rfq-package-comparison.ts'

const MARK = '*'

/** Rows of a comparison, by their title. `best` is the field whose best value is marked. */
const ROWS: [
  title: string,
  best: ComparedOffer['best'][number] | undefined,
  cellOf: (offer: ComparedOffer) => unknown,
][] = [
  ['revision', undefined, ({ revision }) => revision],
  ['unit price', 'unitPrice', ({ unitPrice }) => unitPrice?.amount],
  ['goods', 'goodsTotal', ({ goodsTotal }) => goodsTotal?.amount],
  ['tooling', 'toolingCost', ({ toolingCost }) => toolingCost?.amount],
  ['shipping', 'shippingCost', ({ shippingCost }) => shippingCost?.amount],
  ['landed total', 'landedTotal', ({ landedTotal }) => landedTotal?.amount],
  ['lead time in days', 'leadTimeDays', ({ leadTimeDays }) => leadTimeDays],
]

/** The comparison as text: a row for each field and a column for each offer. */
export function comparisonTable({ quantity, currency, offers }: OfferComparison): string {
  const table = [
    [`${quantity} pieces, ${currency}`, ...offers.map(({ manufacturerName }) => manufacturerName)],
    ...ROWS.map(([title, best, cellOf]) => [
      title,
      ...offers.map((offer) => `${cellOf(offer) ?? '–'}${best && offer.best.includes(best) ? ` ${MARK}` : '  '}`),
    ]),
  ]
  return aligned(table, 'the best of all offers')
}

/** The comparison of a package as text: a row for each line and a column for each manufacturer. */
export function packageTable({ currency, makers, lines, choices }: PackageComparison): string {
  const cheapest = choices.find(({ kind }) => kind === 'CHEAPEST')
  const chosen = new Set(cheapest?.awards.map(({ offerId }) => offerId))
  const table = [
    [`${lines.length} lines, ${currency}`, ...makers.map(({ manufacturerName }) => `${manufacturerName}  `)],
    ...lines.map(({ partTitle, rfqId, quantity, offers }) => [
      `${quantity} × ${partTitle ?? rfqId}`,
      ...makers.map(({ manufacturerOrgId }) => {
        const offer = offers.find((one) => one.manufacturerOrgId === manufacturerOrgId)
        return `${offer?.landedTotal?.amount ?? '–'} ${chosen.has(offer?.offerId ?? '') ? MARK : ' '}`
      }),
    ]),
    ['total', ...makers.map(({ total }) => `${total?.amount ?? '–'}  `)],
  ]
  return aligned(table, `the cheapest of each line, ${cheapest?.total.amount ?? '–'} together`)
}

/** The first column is text, the others are numbers. */
function aligned(table: readonly (readonly string[])[], mark: string): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const lines = table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   '),
  )
  return [...lines, `${MARK} ${mark}`].map((line) => line.trimEnd()).join('\n')
}
