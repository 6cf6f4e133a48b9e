import { isDate, isDateTime } from '../../../proto/http/times.ts'

/*
 * Values of cells as spreadsheets write them. Each function returns undefined for a text that is no such value, or that
 * two people would read differently.
 */

/** Three digits after a point or a comma may be thousands, unless a zero is before it. */
const WITH_POINT = /^(\d{1,12}(\.(\d{1,2}|\d{4,}))?|0\.\d{3})$/
const WITH_COMMA = /^\d{1,12},(\d{1,2}|\d{4,})$/
const GROUPED = [
  { form: /^\d{1,3}(,\d{3})+\.\d+$/, group: /,/g, point: '.' },
  { form: /^\d{1,3}(\.\d{3})+,\d+$/, group: /\./g, point: ',' },
]

/** A decimal number with a point: of `12.50`, `12,5`, `1,234.50` and `1.234,50`. */
export function decimalOf(text: string): string | undefined {
  if (WITH_POINT.test(text)) return withoutZeros(text)
  if (WITH_COMMA.test(text)) return withoutZeros(text.replace(',', '.'))
  const grouped = GROUPED.find(({ form }) => form.test(text))
  return grouped && withoutZeros(text.replace(grouped.group, '').replace(grouped.point, '.'))
}

const withoutZeros = (text: string) => text.replace(/^0+(?=\d)/, '')

/** A whole number without separators. */
export const integerOf = (text: string): number | undefined => (/^\d{1,10}$/.test(text) ? Number(text) : undefined)

const GERMAN_DATE = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/

/** A time with an offset, or the end of a day in UTC: of `2031-06-29` and `29.6.2031`. */
export function timeOf(text: string): string | undefined {
  if (isDateTime(text)) return text
  const [, day = '', month = '', year = ''] = GERMAN_DATE.exec(text) ?? []
  const date = year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDate(date) ? `${date}T23:59:59.999Z` : undefined
}

/** A formula of a spreadsheet whose result was not pasted. A sign may begin a number or a note, so it is none. */
export const isFormula = (text: string): boolean => /^[=@]/.test(text)
