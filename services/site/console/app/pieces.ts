import { sumOf } from './amounts.ts'

/** The pieces of an order. */
interface Pieces {
  quantity: number
  shippedQuantity?: number
  acceptedQuantity?: number
  rejectedQuantity?: number
  remadeQuantity?: number
}

/** The pieces that are still to be shipped: those ordered and those made again, without those shipped. */
export const piecesLeft = ({ quantity, shippedQuantity = 0, remadeQuantity = 0 }: Pieces) =>
  quantity + remadeQuantity - shippedQuantity

/** The shipped pieces that the consumer has not received yet. */
export const unreceived = ({ shippedQuantity = 0, acceptedQuantity = 0, rejectedQuantity = 0 }: Pieces) =>
  shippedQuantity - acceptedQuantity - rejectedQuantity

/** The rejected pieces that are not made again. */
export const openRejection = ({ rejectedQuantity = 0, remadeQuantity = 0 }: Pieces) => rejectedQuantity - remadeQuantity

interface Amount<Currency extends string> {
  amount: string
  currency: Currency
}

interface Priced<Currency extends string> {
  unitPrice: Amount<Currency>
  toolingCost?: Amount<Currency> | undefined
  shippingCost?: Amount<Currency> | undefined
}

/** The total of a number of pieces, with tooling and shipping. */
export const totalOf = <C extends string>({ unitPrice, toolingCost, shippingCost }: Priced<C>, quantity: number) => ({
  amount: sumOf([unitPrice.amount, quantity], [toolingCost?.amount ?? '0', 1], [shippingCost?.amount ?? '0', 1]),
  currency: unitPrice.currency,
})

interface Change {
  quantity?: number
  unitPrice?: object
  cancel?: boolean
}

/**
 * The quantity after a change; none where the order is cancelled. A cancellation keeps the shipped pieces: it takes
 * those that are to be made again first, then ordered ones.
 */
export function quantityAfter(order: Pieces, { quantity = order.quantity, cancel }: Change): number {
  if (!cancel) return quantity
  const { shippedQuantity = 0, remadeQuantity = 0 } = order
  return shippedQuantity - Math.max(0, remadeQuantity - piecesLeft(order))
}

/** The total after a change. */
export const totalAfter = <C extends string>(order: Pieces & Priced<C>, change: Change & Partial<Priced<C>>) =>
  totalOf({ ...order, unitPrice: change.unitPrice ?? order.unitPrice }, quantityAfter(order, change))

const DAY_MS = 86_400_000
const UNANSWERED_DAYS = 14
const OVERDUE_DAYS = 30

/**
 * When a request of the consumer to cancel an overdue order takes effect if it stays unanswered; undefined for another
 * request and for an order that is not overdue.
 */
export function takesEffect(
  { proposedBy, cancel, createdTime }: { proposedBy: string; cancel?: boolean; createdTime: string },
  { dueDate }: { dueDate: string },
  now: number,
): string | undefined {
  const due = Date.parse(dueDate)
  if (proposedBy !== 'CONSUMER' || !cancel || now < due + DAY_MS) return undefined
  const ms = Math.max(Date.parse(createdTime) + UNANSWERED_DAYS * DAY_MS, due + OVERDUE_DAYS * DAY_MS)
  return new Date(ms).toISOString()
}
