import type { ComparedOffer, Rfq } from '../api.ts'
import { DAY_MS, money, number, share } from '../format.ts'
import { counted, fill, t } from '../texts.ts'
import { Icon } from '../ui/icon.tsx'

const totalOf = ({ landedTotal }: ComparedOffer) => Number(landedTotal?.amount)
const isPriced = ({ landedTotal }: ComparedOffer) => landedTotal !== undefined
const inDays = (count: number) => counted(t.verdict.days, count, number(count))

/** Whether the best offer arrives by the wanted day, if the RFQ names one. */
function punctuality({ leadTimeDays }: ComparedOffer, { requestedDeliveryDate }: Rfq): string {
  if (leadTimeDays === undefined || !requestedDeliveryDate) return ''
  const left = Math.floor((Date.parse(requestedDeliveryDate) - Date.now()) / DAY_MS) + 1
  return left >= leadTimeDays ? t.verdict.inTime : fill(t.verdict.late, { days: inDays(leadTimeDays - left) })
}

/** How its time compares with that of the fastest other one. */
function speed(best: ComparedOffer, others: readonly ComparedOffer[]): string {
  if (best.best.includes('leadTimeDays')) return t.verdict.fastest
  const [fastest] = others.toSorted((one, other) => (one.leadTimeDays ?? 0) - (other.leadTimeDays ?? 0))
  const days = (best.leadTimeDays ?? 0) - (fastest?.leadTimeDays ?? 0)
  return fastest && days > 0 ? fill(t.verdict.faster, { maker: fastest.manufacturerName, days: inDays(days) }) : ''
}

/** What is best, and why, in one sentence for the whole table. */
export function reasonsOf(
  offers: readonly ComparedOffer[],
  rfq: Rfq,
): { isDecided: boolean; text: string } | undefined {
  const priced = offers.filter(isPriced)
  if (priced.length < 2) return undefined
  const best = priced.find((offer) => offer.best.includes('landedTotal'))
  if (!best?.landedTotal) return { isDecided: false, text: t.verdict.none }
  const others = priced.filter((offer) => offer !== best)
  const next = Math.min(...others.map(totalOf).filter((total) => total > totalOf(best)))
  const values = { maker: best.manufacturerName, total: money(best.landedTotal) }
  const lead = Number.isFinite(next)
    ? fill(t.verdict.cheapest, { ...values, share: share((next - totalOf(best)) / next) })
    : fill(t.verdict.complete, values)
  return { isDecided: true, text: [lead, punctuality(best, rfq), speed(best, others)].filter(Boolean).join(' ') }
}

/** Says once above the table what its marks mean. */
export function Verdict({ offers, rfq }: { offers: readonly ComparedOffer[]; rfq: Rfq }) {
  const reasons = reasonsOf(offers, rfq)
  return reasons ? (
    <p class={reasons.isDecided ? 'verdict' : 'verdict open'}>
      <Icon name="star" />
      <span>{reasons.text}</span>
    </p>
  ) : null
}
