import type { Money } from './api.ts'
import { counted, fill, locales, t } from './texts.ts'

const languages = [...locales]
const cached = <T>(make: () => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const plain = cached(() => new Intl.NumberFormat(languages))
const shares = cached(() => new Intl.NumberFormat(languages, { style: 'percent', maximumFractionDigits: 1 }))
const percents = cached(
  () => new Intl.NumberFormat(languages, { style: 'unit', unit: 'percent', maximumFractionDigits: 2 }),
)
const day = cached(() => new Intl.DateTimeFormat(languages, { dateStyle: 'medium' }))
/** A date without a time is a day in UTC. */
const utcDay = cached(() => new Intl.DateTimeFormat(languages, { dateStyle: 'medium', timeZone: 'UTC' }))
const moment = cached(() => new Intl.DateTimeFormat(languages, { dateStyle: 'medium', timeStyle: 'short' }))
const relative = cached(() => new Intl.RelativeTimeFormat(languages, { numeric: 'auto' }))
const regions = cached(() => new Intl.DisplayNames(languages, { type: 'region' }))

/** The sign between units and tenths: a point or a comma. */
export const decimalSign = cached(
  () =>
    plain()
      .formatToParts(1.5)
      .find(({ type }) => type === 'decimal')?.value ?? '.',
)
/** What a field for an amount shows, in the language of the page and without groups. */
export const amountText = (amount: string | undefined) => amount?.replace('.', decimalSign())

export const number = (value: number) => plain().format(value)
/** A number of pieces: `6 pieces`. */
export const pieces = (count: number) => counted(t.orders.pieces, count, number(count))
/** A number of days: `21 days`. */
export const dayCount = (count: number) => fill(t.comparison.days, { count: number(count) })
/** A percentage of the API, which is a decimal text. */
export const percent = (text: string) => percents().format(text as Intl.StringNumericLiteral)
export const share = (value: number) => shares().format(value)
export const date = (text: string) =>
  text.length === 10 ? utcDay().format(new Date(text)) : day().format(new Date(text))
export const time = (text: string) => moment().format(new Date(text))

/** Formats amounts, which are decimal texts, each in its currency. */
function inCurrency(options: Intl.NumberFormatOptions) {
  const formats = new Map<string, Intl.NumberFormat>()
  return ({ amount, currency }: Pick<Money, 'amount' | 'currency'>): string => {
    const format =
      formats.get(currency) ?? new Intl.NumberFormat(languages, { style: 'currency', currency, ...options })
    formats.set(currency, format)
    return format.format(amount as Intl.StringNumericLiteral)
  }
}

/** An amount without rounding. */
export const money = inCurrency({ maximumFractionDigits: 4 })
/** A total with the decimals of its currency. What it is made of may have more. */
export const totalText = inCurrency({})

export const DAY_MS = 86_400_000

/** A time some days after another one in milliseconds. */
export const daysAfter = (ms: number, days: number) => new Date(ms + days * DAY_MS).toISOString()

const UNITS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** The time from now: `in 3 days`. */
export function fromNow(text: string): string {
  const ms = Date.parse(text) - Date.now()
  const [unit, length] = UNITS.find(([, size]) => Math.abs(ms) >= size) ?? ['minute', 60_000]
  return relative().format(Math.trunc(ms / length), unit)
}

export function bytes(size: number): string {
  const [unit, divisor] = size < 1_000_000 ? ['kilobyte', 1000] : ['megabyte', 1_000_000]
  const format = new Intl.NumberFormat(languages, { style: 'unit', unit: String(unit), maximumFractionDigits: 1 })
  return format.format(size / Number(divisor))
}

export function region(code: string): string {
  try {
    return regions().of(code) ?? code
  } catch {
    return code
  }
}
