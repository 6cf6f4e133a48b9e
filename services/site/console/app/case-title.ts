import type { Case } from './api.ts'
import { number } from './format.ts'
import { fill, t } from './texts.ts'

const OF_RFQ = /^Request for quotation (R-\w+)$/
const OF_REJECTION = /^Order (O-\w+): (\d+) of (\d+) pieces rejected$/

/** The title of a case. Cases that the marketplace opens have English titles, shown in the language of the page. */
export function caseTitle({ title }: Pick<Case, 'title'>): string {
  const [, rfq] = OF_RFQ.exec(title) ?? []
  if (rfq) return fill(t.cases.titles.rfq, { number: rfq })
  const [, order, rejected, quantity] = OF_REJECTION.exec(title) ?? []
  if (!order) return title
  const counts = { rejected: number(Number(rejected)), quantity: number(Number(quantity)) }
  return fill(t.cases.titles.rejected, { number: order, ...counts })
}
