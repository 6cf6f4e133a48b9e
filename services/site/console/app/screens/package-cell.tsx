import type { PackageComparison } from '../api.ts'
import { dayCount, money, totalText } from '../format.ts'
import { fill, t } from '../texts.ts'
import { Mark } from '../ui/icon.tsx'
import { Badge } from '../ui/page.tsx'

type Offer = PackageComparison['lines'][number]['offers'][number]

const plus = (name: string, cost: NonNullable<Offer['toolingCost']>) =>
  fill(t.packages.plus, { name, cost: money(cost) })

interface CellProps {
  maker: string
  offer: Offer | undefined
  isChosen: boolean
  /** The costs that some offer for the line states. */
  stated: readonly Cost[]
}

type Cost = 'toolingCost' | 'shippingCost'
/** The costs of an offer that are no part of its unit price. */
export const COSTS: readonly (readonly [cost: Cost, name: string])[] = [
  ['toolingCost', t.packages.toolingOf],
  ['shippingCost', t.packages.shippingOf],
]

/** A cell: the total of an offer, and its price and time. */
export function Cell({ maker, offer, isChosen, stated }: CellProps) {
  if (!offer) {
    return (
      <td class="number quiet unoffered" data-label={maker}>
        {t.packages.noOffer}
      </td>
    )
  }
  const { landedTotal, unitPrice, leadTimeDays, unpriced, isOutdated, state } = offer
  return (
    <td class={isChosen ? 'number offered best' : 'number offered'} data-label={maker}>
      {isChosen && <Mark said={t.packages.chosen} />}{' '}
      {landedTotal ? totalText(landedTotal) : <span class="quiet">{unpriced && t.comparison.unpriced[unpriced]}</span>}
      {unitPrice && leadTimeDays !== undefined && (
        <small class="quiet">{fill(t.packages.unit, { price: money(unitPrice), days: dayCount(leadTimeDays) })}</small>
      )}
      {COSTS.map(([cost, name]) => {
        const value = offer[cost]
        const text = value
          ? plus(name, value)
          : landedTotal && stated.includes(cost) && fill(t.packages.notStatedOf, { name })
        return (
          text && (
            <small key={cost} class="quiet">
              {text}
            </small>
          )
        )
      })}
      {isOutdated && <small class="hint">{t.packages.outdated}</small>}
      {state === 'REJECTED' && <small class="quiet">{t.packages.notChosen}</small>}
      {state === 'ACCEPTED' && <Badge of="offer" state={state} />}
    </td>
  )
}
