import Big from 'big.js'
import { decimalsOf } from '../../../proto/currencies.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'

/*
 * Amounts are decimal strings. They never become floating-point numbers, which cannot represent 0.1.
 */

/** Throws for a number, so that no floating-point number becomes an amount. */
const Decimal = Big()
Decimal.strict = true

/** Currencies with two decimals are the most common, so amounts show at least two. */
const MIN_DECIMALS = 2

/** Without exponent and trailing zeros, with at least two decimals. `sourcing.api_amount` is the same in SQL. */
const format = (value: Big): string => {
  const text = value.toFixed()
  const decimals = text.split('.')[1]?.length ?? 0
  return decimals < MIN_DECIMALS ? value.toFixed(MIN_DECIMALS) : text
}

/** The canonical form of a decimal string. */
export const amountOf = (text: string): string => format(new Decimal(text))

/** The amount of a number of pieces. */
export function multiply(amount: string, pieces: number): string {
  if (!Number.isSafeInteger(pieces)) throw new Error(`${pieces} is not a number of pieces`)
  return format(new Decimal(amount).times(String(pieces)))
}

export const sum = (...amounts: readonly string[]): string =>
  format(amounts.reduce((total, amount) => total.plus(amount), new Decimal('0')))

/** Negative if the first amount is lower, zero if both are equal. */
export const compare = (a: string, b: string): -1 | 0 | 1 => new Decimal(a).cmp(b)

interface Costs {
  unitPrice: string
  quantity: number
  toolingCost?: string | null | undefined
  shippingCost?: string | null | undefined
}

/** Unit price × quantity + tooling + shipping. */
export const totalOf = ({ unitPrice, quantity, toolingCost, shippingCost }: Costs): string =>
  sum(multiply(unitPrice, quantity), toolingCost ?? '0', shippingCost ?? '0')

/** The total of an order with another unit price or quantity. */
export const totalWith = ({ toolingCost, shippingCost }: Order, unitPrice: string, quantity: number): string =>
  totalOf({ unitPrice, quantity, toolingCost: toolingCost?.amount, shippingCost: shippingCost?.amount })

const HALF_EVEN = 2

/** A percentage of an amount, half-even to these decimals. */
export const percentage = (amount: string, percent: string, decimals: number): string =>
  format(new Decimal(amount).times(percent).div('100').round(decimals, HALF_EVEN))

/** The fee of a seller: its percentage of quantity × unit price, to the decimals of the currency. */
export const sellerFeeOf = ({ unitPrice, quantity }: Costs, percent: string, currency: string): string =>
  percentage(multiply(unitPrice, quantity), percent, decimalsOf(currency))
