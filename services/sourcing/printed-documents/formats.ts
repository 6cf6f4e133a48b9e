import type { Texts } from './texts.ts'

interface Amount {
  amount: string
  currency: string
}

/** Writes the values of a document in its language. */
export function formatsOf({ locale }: Pick<Texts, 'locale'>) {
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const counts = new Intl.NumberFormat(locale)
  const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' })
  return {
    /** The day (UTC) of a date or a time. */
    day: (text: string) => days.format(new Date(text)),
    count: (value: number) => counts.format(value),
    region: (code: string) => regions.of(code) ?? code,
    /** Amounts are decimal texts, which are formatted without rounding. They have at most four decimals. */
    money: ({ amount, currency }: Amount) =>
      new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: 4 }).format(
        amount as Intl.StringNumericLiteral,
      ),
  }
}
export type Formats = ReturnType<typeof formatsOf>
