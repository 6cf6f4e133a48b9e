import { sumOf } from '../amounts.ts'
import type { Order } from '../api.ts'
import { money } from '../format.ts'
import { totalOf } from '../pieces.ts'
import { t } from '../texts.ts'
import type { Fact } from '../ui/page.tsx'

const UNPAID: readonly Order['state'][] = ['DECLINED', 'CANCELLED']

/** The total with the fee of the seller, where both are paid and nothing else is. */
export function withFee({ total, settledTotal = total, sellerFee, cancellationFee, state }: Order): string | undefined {
  if (!sellerFee || cancellationFee || UNPAID.includes(state)) return undefined
  return money({ ...settledTotal, amount: sumOf([settledTotal.amount, 1], [sellerFee.amount, 1]) })
}

/** What an order costs, and what of it is paid after a settlement or a cancellation. */
export function totalFacts(order: Order): Fact[] {
  const { quantity, unitPrice, toolingCost, shippingCost, total, sellerFee, settledTotal, cancellationFee } = order
  return [
    [t.comparison.unitPrice, money(unitPrice)],
    [t.orders.goods, money(totalOf({ unitPrice }, quantity))],
    [t.comparison.tooling, toolingCost && money(toolingCost)],
    [t.comparison.shipping, shippingCost && money(shippingCost)],
    [t.orders.total, money(total)],
    [t.orders.settledTotal, settledTotal && money(settledTotal)],
    [t.orders.sellerFee, sellerFee && money(sellerFee)],
    [t.orders.withFee, withFee(order)],
    [t.orders.cancellationFee, cancellationFee && money(cancellationFee)],
  ]
}
