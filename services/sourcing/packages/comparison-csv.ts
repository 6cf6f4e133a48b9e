import type { PackageComparison, PackageOffer } from '../../../proto/http/sourcing/rfq-package-comparison.ts'
import { csvOf } from '../../kit/csv/write.ts'
import { UNPRICED } from '../comparison/csv.ts'

const NOTES: Partial<Record<PackageOffer['state'], string>> = { REJECTED: 'not chosen' }

/** RFC 4180: a row for each line with the total and the lead time of each manufacturer, then the choices. */
export function packageComparisonFile({ makers, lines, choices, currency }: PackageComparison): string {
  const header = ['RFQ', 'Part', 'State', 'Quantity', 'Currency']
  const empty = (count: number) => Array.from({ length: count }, () => '')
  const rows = lines.map(({ rfqId, partTitle = '', partId, state, quantity, offers }) => {
    const byMaker = new Map(offers.map((offer) => [offer.manufacturerOrgId, offer]))
    const cells = makers.flatMap(({ manufacturerOrgId }) => cellsOf(byMaker.get(manufacturerOrgId)))
    return [rfqId, partTitle || partId, state, quantity, currency, ...cells]
  })
  const width = header.length + 3 * makers.length
  const named = makers.flatMap(({ manufacturerName: name }) => [
    `${name}: total`,
    `${name}: unit price`,
    `${name}: days`,
  ])
  const totals = makers.flatMap(({ total, offeredLines, askedLines }) => [
    total?.amount ?? '',
    `${offeredLines} of ${askedLines} lines`,
    '',
  ])
  return csvOf([
    [...header, ...named],
    ...rows,
    ['Total', '', '', '', currency, ...totals],
    ...choices.map(({ kind, total, leadTimeDays, missingLines }) => {
      const cells = [kind, `${missingLines} lines missing`, '', '', currency, total.amount, '', leadTimeDays]
      return [...cells, ...empty(width - cells.length)]
    }),
  ])
}

function cellsOf(offer: PackageOffer | undefined): (string | number)[] {
  if (!offer) return ['', '', '']
  const { landedTotal, unitPrice, leadTimeDays, unpriced, isOutdated, state } = offer
  const total = landedTotal?.amount ?? (unpriced ? UNPRICED[unpriced] : '')
  const note = isOutdated ? 'outdated' : NOTES[state]
  return [note ? `${total}, ${note}` : total, unitPrice?.amount ?? '', leadTimeDays ?? '']
}
